# What is installed besides the library and the program: ready-made callbacks, pages, examples, licence, pkg-config files.
# Also describes the packages that `cpack` makes: a .deb and a .tar.gz, which hold the same files.
set(include ${CMAKE_INSTALL_INCLUDEDIR})
set(doc ${CMAKE_INSTALL_DATADIR}/doc/graft)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/callbacks/ DESTINATION ${include}/graft/callbacks
        FILES_MATCHING PATTERN "*.cuh" PATTERN "README.md")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${doc} RENAME copyright)
# The licences of the libraries whose code is in libgraft and in the program ask for their notices in binary
# distributions. Their texts are those of the Debian packages of their headers.
set(notices fmt:libfmt-dev nlohmann-json:nlohmann-json3-dev xxhash:libxxhash-dev cli11:libcli11-dev)
if(GRAFT_HAS_ZSTD AND GRAFT_ZSTD_LIBRARY MATCHES "[.]a$")
  list(APPEND notices zstd:libzstd-dev)
endif()
foreach(notice IN LISTS notices)
  string(REGEX MATCH "(.*):(.*)" notice ${notice})
  set(text /usr/share/doc/${CMAKE_MATCH_2}/copyright)
  if(EXISTS ${text})
    install(FILES ${text} DESTINATION ${doc}/licenses RENAME ${CMAKE_MATCH_1})
  else()
    message(STATUS "graft: there is no ${text}, so a package of this build lacks the licence text of ${CMAKE_MATCH_1}")
  endif()
endforeach()
# The pages lie as in the checkout, so that their links lead somewhere; two links stand for folders that are installed
# elsewhere.
foreach(page README CHANGELOG CONTRIBUTING SECURITY)
  install(FILES ${PROJECT_SOURCE_DIR}/${page}.md DESTINATION ${doc})
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${doc})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples DESTINATION ${doc})
install(FILES ${PROJECT_SOURCE_DIR}/bench/README.md DESTINATION ${doc}/bench)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/bench/results DESTINATION ${doc}/bench)
file(RELATIVE_PATH up_to_include /${doc} /${include})
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/doc_links)
file(CREATE_LINK ${up_to_include} ${PROJECT_BINARY_DIR}/doc_links/include SYMBOLIC)
file(CREATE_LINK ${up_to_include}/graft/callbacks ${PROJECT_BINARY_DIR}/doc_links/callbacks SYMBOLIC)
install(DIRECTORY ${PROJECT_BINARY_DIR}/doc_links/ DESTINATION ${doc})
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
