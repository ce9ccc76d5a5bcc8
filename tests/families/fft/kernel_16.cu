struct __align__(8) graft_complex { float graft_x, graft_y; };
struct graft_parameters {
  unsigned long long graft_batch, graft_in_stride, graft_in_distance, graft_out_stride, graft_out_distance;
  void* graft_workspace;
  const graft_complex* graft_roots;
  void* graft_load_info;
  void* graft_store_info;
  void* graft_out;
  const void* graft_in[1];
};
template <class graft_To, class graft_From> static __device__ __forceinline__ graft_To graft_as(const graft_From& graft_from) {
  static_assert(sizeof(graft_To) == sizeof(graft_From), "a point of another size");
  graft_To graft_to;
  memcpy(&graft_to, &graft_from, sizeof graft_to);
  return graft_to;
}
static __device__ __forceinline__ graft_complex graft_times(const graft_complex& graft_a, const graft_complex& graft_b) {
  graft_complex graft_c;
  graft_c.graft_x = graft_a.graft_x * graft_b.graft_x - graft_a.graft_y * graft_b.graft_y;
  graft_c.graft_y = graft_a.graft_x * graft_b.graft_y + graft_a.graft_y * graft_b.graft_x;
  return graft_c;
}
static __device__ __forceinline__ graft_complex graft_root(const graft_complex* graft_at) {
  return graft_as<graft_complex>(__ldg(reinterpret_cast<const float2*>(graft_at)));
}
static __device__ __forceinline__ void graft_butterfly_4(graft_complex* graft_a) {
  const float graft_s0 = graft_a[0].graft_x + graft_a[2].graft_x;
  const float graft_s1 = graft_a[0].graft_y + graft_a[2].graft_y;
  const float graft_s2 = graft_a[0].graft_x - graft_a[2].graft_x;
  const float graft_s3 = graft_a[0].graft_y - graft_a[2].graft_y;
  const float graft_s4 = graft_a[1].graft_x + graft_a[3].graft_x;
  const float graft_s5 = graft_a[1].graft_y + graft_a[3].graft_y;
  const float graft_s6 = graft_a[1].graft_x - graft_a[3].graft_x;
  const float graft_s7 = graft_a[1].graft_y - graft_a[3].graft_y;
  const float graft_s8 = graft_s0 + graft_s4;
  const float graft_s9 = graft_s1 + graft_s5;
  const float graft_s10 = graft_s2 + graft_s7;
  const float graft_s11 = graft_s3 + (-graft_s6);
  const float graft_s12 = graft_s0 - graft_s4;
  const float graft_s13 = graft_s1 - graft_s5;
  const float graft_s14 = graft_s2 - graft_s7;
  const float graft_s15 = graft_s3 - (-graft_s6);
  graft_a[0].graft_x = graft_s8;
  graft_a[0].graft_y = graft_s9;
  graft_a[1].graft_x = graft_s10;
  graft_a[1].graft_y = graft_s11;
  graft_a[2].graft_x = graft_s12;
  graft_a[2].graft_y = graft_s13;
  graft_a[3].graft_x = graft_s14;
  graft_a[3].graft_y = graft_s15;
}
static __device__ __forceinline__ graft_complex graft_load(const graft_parameters& graft_p, unsigned long long graft_offset,
    unsigned long long graft_index, void* graft_shared) {
  return static_cast<const graft_complex*>(graft_p.graft_in[0])[graft_offset];
}
static __device__ __forceinline__ void graft_store(const graft_parameters& graft_p, unsigned long long graft_offset,
    unsigned long long graft_index, graft_complex graft_value, void* graft_shared) {
  static_cast<graft_complex*>(graft_p.graft_out)[graft_offset] = graft_value;
}
static __device__ __forceinline__ void graft_phase_0(const graft_parameters& graft_p, graft_complex* graft_v,
    unsigned graft_thread, unsigned graft_block, graft_complex* graft_shared,
    void* graft_callback_shared) {
  {
    const unsigned graft_fft = graft_thread / 4u;
    const unsigned graft_lane = graft_thread % 4u;
    {
      const unsigned graft_j = graft_lane;
      {
        const unsigned long long graft_batch = graft_block * 32ull + graft_fft;
        const unsigned long long graft_base = graft_batch * graft_p.graft_in_distance + 0u;
        const unsigned long long graft_base_index = graft_batch * 16ull + 0u;
        if (graft_batch < graft_p.graft_batch) {
          const unsigned long long graft_at = graft_base + graft_j;
          const unsigned long long graft_index = graft_base_index + graft_j;
          graft_v[0] = graft_load(graft_p, graft_at, graft_index, graft_callback_shared);
          graft_v[1] = graft_load(graft_p, graft_at + 4ull, graft_index + 4ull, graft_callback_shared);
          graft_v[2] = graft_load(graft_p, graft_at + 8ull, graft_index + 8ull, graft_callback_shared);
          graft_v[3] = graft_load(graft_p, graft_at + 12ull, graft_index + 12ull, graft_callback_shared);
        }
      }
    }
  }
  {
    {
      graft_butterfly_4(graft_v + 0);
    }
  }
  {
    const unsigned graft_fft = graft_thread / 4u;
    const unsigned graft_lane = graft_thread % 4u;
    {
      const unsigned graft_j = graft_lane;
      const unsigned graft_first = graft_j * 4u;
      auto* const graft_place = graft_shared + ((graft_fft * 20u) + (graft_first + (graft_first / 4u)));
      graft_place[0] = graft_v[0];
      graft_place[1] = graft_v[1];
      graft_place[2] = graft_v[2];
      graft_place[3] = graft_v[3];
    }
  }
}
static __device__ __forceinline__ void graft_phase_1(const graft_parameters& graft_p, graft_complex* graft_v,
    unsigned graft_thread, unsigned graft_block, graft_complex* graft_shared,
    void* graft_callback_shared) {
  {
    const unsigned graft_fft = graft_thread / 4u;
    const unsigned graft_lane = graft_thread % 4u;
    {
      const unsigned graft_j = graft_lane;
      auto* const graft_place = graft_shared + ((graft_fft * 20u) + (graft_j + (graft_j / 4u)));
      graft_v[0] = graft_place[0];
      graft_v[1] = graft_place[5];
      graft_v[2] = graft_place[10];
      graft_v[3] = graft_place[15];
    }
  }
  {
    const unsigned graft_lane = graft_thread % 4u;
    {
      const unsigned graft_j = graft_lane;
      const unsigned graft_q = graft_j % 4u;
      const graft_complex graft_w = graft_root(graft_p.graft_roots + graft_q);
      const graft_complex graft_w_2 = graft_root(graft_p.graft_roots + graft_q + 4u);
      const graft_complex graft_w_3 = graft_times(graft_w_2, graft_w);
      graft_v[1] = graft_times(graft_v[1], graft_w);
      graft_v[2] = graft_times(graft_v[2], graft_w_2);
      graft_v[3] = graft_times(graft_v[3], graft_w_3);
      graft_butterfly_4(graft_v + 0);
    }
  }
  {
    const unsigned graft_fft = graft_thread / 4u;
    const unsigned graft_lane = graft_thread % 4u;
    {
      const unsigned graft_j = graft_lane;
      {
        const unsigned long long graft_batch = graft_block * 32ull + graft_fft;
        const unsigned long long graft_base = graft_batch * graft_p.graft_out_distance + 0u;
        const unsigned long long graft_base_index = graft_batch * 16ull + 0u;
        if (graft_batch < graft_p.graft_batch) {
          const unsigned long long graft_at = graft_base + graft_j;
          const unsigned long long graft_index = graft_base_index + graft_j;
          graft_store(graft_p, graft_at, graft_index, graft_v[0], graft_callback_shared);
          graft_store(graft_p, graft_at + 4ull, graft_index + 4ull, graft_v[1], graft_callback_shared);
          graft_store(graft_p, graft_at + 8ull, graft_index + 8ull, graft_v[2], graft_callback_shared);
          graft_store(graft_p, graft_at + 12ull, graft_index + 12ull, graft_v[3], graft_callback_shared);
        }
      }
    }
  }
}
extern "C" __global__ void __launch_bounds__(128) fft(const __grid_constant__ graft_parameters graft_p) {
  extern __shared__ __align__(16) unsigned char graft_shared[];
  graft_complex graft_v[4];
  graft_phase_0(graft_p, graft_v, threadIdx.x, blockIdx.x, reinterpret_cast<graft_complex*>(graft_shared), graft_shared + 5120);
  __syncwarp();
  graft_phase_1(graft_p, graft_v, threadIdx.x, blockIdx.x, reinterpret_cast<graft_complex*>(graft_shared), graft_shared + 5120);
}
