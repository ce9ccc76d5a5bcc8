# What is installed besides the library and the program: ready-made callbacks, licence, pkg-config files. Also describes the
# packages that `cpack` makes: a .deb and a .tar.gz, which hold the same files.
set(data ${CMAKE_INSTALL_DATADIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/callbacks/ DESTINATION ${data}/graft/callbacks
        FILES_MATCHING PATTERN "*.cuh" PATTERN "README.md")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${data}/doc/graft RENAME copyright)
install(FILES ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${data}/doc/graft)
set(graft_pc_zstd "")
if(GRAFT_HAS_ZSTD)
  set(graft_pc_zstd " -lzstd")
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libzstd-dev)  # to link the static library
endif()
# Two libraries of two names need two files: `pkg-config --static graft` would still name the shared library.
foreach(name graft graft_static)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

set(CPACK_PACKAGE_NAME graft)
set(CPACK_PACKAGE_VENDOR "The developers of graft")
set(CPACK_PACKAGE_CONTACT "The developers of graft")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_STRIP_FILES ON)
# dpkg-shlibdeps finds the packages of libc and libstdc++. The CUDA toolkit and the driver are found at run time.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "The C++ and C library, the program graft, ready-made callbacks, and the files for CMake and pkg-config. Kernels are
made with NVIDIA's NVRTC and nvJitLink, which are looked for when a program runs.")
include(CPack)
