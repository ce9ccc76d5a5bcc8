// Geometry: rotations, quaternions, rays, triangles, the globe. Points are structs by value. The references use Eigen.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Dense>
#include <Eigen/Geometry>

#include "scenarios/callbacks/table.hpp"

namespace graft::test::table {
namespace {

struct Vec3 {
  using Scalar = float;
  float x, y, z;
};
struct alignas(16) Vec4 {
  using Scalar = float;
  float x, y, z, w;
};
struct Vec2 {  // aligned as a struct of two floats, which float2 is not
  using Scalar = float;
  float x, y;
};
struct Place {
  using Scalar = double;
  double latitude, longitude;
};
struct Matrix3 {
  float m[9];
};
struct Sphere {
  float x, y, z, radius;
};

Eigen::Vector3d eigen(Vec3 v) {
  return {v.x, v.y, v.z};
}
Eigen::Quaterniond quaternion(Vec4 q) {
  return {q.w, q.x, q.y, q.z};
}
Vec3 vec3(const Eigen::Vector3d& v) {
  return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
}
auto unit_quaternions() {
  return [](Random& random) {
    Eigen::Vector4d q;
    do {
      const Vec4 v = vectors<Vec4>(-1, 1)(random);
      q = Eigen::Vector4d(v.x, v.y, v.z, v.w);
    } while (q.norm() < 0.1);
    q.normalize();
    return Vec4{static_cast<float>(q[0]), static_cast<float>(q[1]), static_cast<float>(q[2]), static_cast<float>(q[3])};
  };
}

const Matrix3 kRotation = {{0.36f, 0.48f, -0.8f, -0.8f, 0.6f, 0, 0.48f, 0.64f, 0.6f}};

}  // namespace

void add_geometry(Table& table) {
  table.begin_kind("Geometry");

  table
      .add(
          "rotation_by_a_matrix", "float3(float3, const Matrix&)", R"(
struct Matrix { float m[9]; };
__device__ float3 rotate(float3 v, const Matrix& r) {
  return make_float3(r.m[0] * v.x + r.m[1] * v.y + r.m[2] * v.z, r.m[3] * v.x + r.m[4] * v.y + r.m[5] * v.z,
                     r.m[6] * v.x + r.m[7] * v.y + r.m[8] * v.z);
})",
          from(vectors<Vec3>(-5, 5)),
          [](Vec3 v) {
            const Eigen::Map<const Eigen::Matrix<float, 3, 3, Eigen::RowMajor>> m(kRotation.m);
            return vec3(m.cast<double>() * eigen(v));
          },
          within(0, 4e-6))
      .state(kRotation);

  table
      .add(
          "rotation_by_a_quaternion", "float3(float3, float4)", R"(
__device__ float3 cross(float3 a, float3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
__device__ float3 rotate(float3 v, float4 q) {
  const float3 axis = {q.x, q.y, q.z}, t = cross(axis, v), u = cross(axis, t);
  return {v.x + 2 * (q.w * t.x + u.x), v.y + 2 * (q.w * t.y + u.y), v.z + 2 * (q.w * t.z + u.z)};
})",
          from(vectors<Vec3>(-5, 5), unit_quaternions()),
          [](Vec3 v, Vec4 q) { return vec3(quaternion(q).toRotationMatrix() * eigen(v)); }, within(0, 2e-5))
      .entry("rotate");

  table.add(
      "quaternion_product", "Quaternion(Quaternion, Quaternion)", R"(
struct __align__(16) Quaternion { float x, y, z, w; };
__device__ Quaternion product(Quaternion a, Quaternion b) {
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
})",
      from(unit_quaternions(), unit_quaternions()),
      [](Vec4 a, Vec4 b) {
        const Eigen::Quaterniond p = quaternion(a) * quaternion(b);
        return Vec4{static_cast<float>(p.x()), static_cast<float>(p.y()), static_cast<float>(p.z()),
                    static_cast<float>(p.w())};
      },
      within(0, 2e-6));

  table
      .add(
          "great_circle_distance", "double(Place, Place, const double&)", R"(
struct Place { double latitude, longitude; };
__device__ double haversine(Place a, Place b, const double& radius) {
  const double degree = M_PI / 180;
  const double u = sin((b.latitude - a.latitude) * degree / 2), v = sin((b.longitude - a.longitude) * degree / 2);
  const double h = u * u + cos(a.latitude * degree) * cos(b.latitude * degree) * v * v;
  return 2 * radius * asin(sqrt(fmin(1.0, h)));
})",
          from(
              [](Random& random) {
                return Place{doubles(-80, 80)(random), doubles(-180, 180)(random)};
              },
              [](Random& random) {
                return Place{doubles(-80, 80)(random), doubles(-180, 180)(random)};
              }),
          [](Place a, Place b) {  // the angle between the two unit vectors
            const auto unit = [](Place p) {
              const double phi = p.latitude * std::numbers::pi / 180, lambda = p.longitude * std::numbers::pi / 180;
              return Eigen::Vector3d(std::cos(phi) * std::cos(lambda), std::cos(phi) * std::sin(lambda), std::sin(phi));
            };
            return 6371.0 * std::atan2(unit(a).cross(unit(b)).norm(), unit(a).dot(unit(b)));
          },
          within(1e-7, 1e-7))
      .state(6371.0);

  table
      .add(
          "ray_and_sphere", "float(float3, float3, const Sphere&)", R"(
struct Sphere { float3 centre; float radius; };
__device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
// The distance to the first hit, or -1.
__device__ float hit(float3 origin, float3 direction, const Sphere& s) {
  const float3 to = {origin.x - s.centre.x, origin.y - s.centre.y, origin.z - s.centre.z};
  const float a = dot(direction, direction), b = dot(to, direction), c = dot(to, to) - s.radius * s.radius;
  const float d = b * b - a * c;
  return d < 0 ? -1 : (-b - sqrtf(d)) / a;
})",
          from(
              [](Random& random) {
                return Vec3{reals(-1, 1)(random), reals(-1, 1)(random), -9};
              },
              [](Random& random) {
                return Vec3{reals(-0.05, 0.05)(random), reals(-0.05, 0.05)(random), 1};
              }),
          [](Vec3 origin, Vec3 direction) {  // by the point of the ray that is nearest to the centre
            const Eigen::Vector3d d = eigen(direction).normalized(), to = Eigen::Vector3d(0.5, 0, 1) - eigen(origin);
            const double along = to.dot(d), aside = (to - along * d).norm();
            return static_cast<float>((along - std::sqrt(9 - aside * aside)) / eigen(direction).norm());
          },
          within(2e-5))
      .entry("hit")
      .state(Sphere{0.5f, 0, 1, 3});

  table
      .add(
          "barycentric_coordinates", "void(P, P, P, P, float&, float&, float&)", R"(
struct P { float x, y; };
__device__ float area(P a, P b, P c) { return (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y); }
__device__ void barycentric(P a, P b, P c, P p, float& u, float& v, float& w) {
  const float whole = area(a, b, c);
  u = area(p, b, c) / whole;
  v = area(a, p, c) / whole;
  w = 1 - u - v;
})",
          from(
              vectors<Vec2>(-2, -1),
              [](Random& random) {
                return Vec2{reals(1, 2)(random), reals(-2, -1)(random)};
              },
              vectors<Vec2>(1, 2), vectors<Vec2>(-1, 1)),
          [](Vec2 a, Vec2 b, Vec2 c, Vec2 p) {
            Eigen::Matrix3d m;
            m << a.x, b.x, c.x, a.y, b.y, c.y, 1, 1, 1;
            const Eigen::Vector3d uvw = m.fullPivLu().solve(Eigen::Vector3d(p.x, p.y, 1));
            return std::tuple(static_cast<float>(uvw[0]), static_cast<float>(uvw[1]), static_cast<float>(uvw[2]));
          },
          within(0, 2e-5))
      .entry("barycentric");

  table.add(
      "cross_product", "float3(float3, float3)", R"(
__device__ float3 cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
})",
      from(vectors<Vec3>(-3, 3), vectors<Vec3>(-3, 3)), [](Vec3 a, Vec3 b) { return vec3(eigen(a).cross(eigen(b))); },
      within(0, 4e-6));

  table.add(
      "normalised_vector", "float3(float3)", R"(
__device__ float3 normalized(float3 v) {
  const float scale = rsqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
  return {scale * v.x, scale * v.y, scale * v.z};
})",
      from(vectors<Vec3>(0.1, 9)), [](Vec3 v) { return vec3(eigen(v).normalized()); }, within(0, 1e-6));

  table.add(
      "mirrored_direction", "Vec(Vec, Vec)", R"(
struct Vec {
  float x, y, z;
  __device__ friend Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  __device__ friend Vec operator*(float s, Vec a) { return {s * a.x, s * a.y, s * a.z}; }
  __device__ friend float operator*(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
};
__device__ Vec reflect(Vec direction, Vec normal) { return direction - (2 * (direction * normal)) * normal; })",
      from(vectors<Vec3>(-1, 1), vectors<Vec3>(-1, 1)),
      [](Vec3 d, Vec3 n) {
        const Eigen::Vector3d normal = eigen(n);
        const Eigen::Matrix3d mirror = Eigen::Matrix3d::Identity() - 2 * normal * normal.transpose();
        return vec3(mirror * eigen(d));
      },
      within(0, 4e-6));

  table.add(
      "spherical_to_cartesian", "void(float, float, float, float&, float&, float&)", R"(
__device__ void cartesian(float r, float theta, float phi, float& x, float& y, float& z) {
  x = r * sinf(theta) * cosf(phi);
  y = r * sinf(theta) * sinf(phi);
  z = r * cosf(theta);
})",
      from(reals(0, 3), reals(0, 3.14), reals(-3.14, 3.14)),
      [](double r, double theta, double phi) {
        const Eigen::Vector3d v = Eigen::AngleAxisd(phi, Eigen::Vector3d::UnitZ()) *
                                  (Eigen::AngleAxisd(theta, Eigen::Vector3d::UnitY()) * Eigen::Vector3d(0, 0, r));
        return std::tuple(static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2]));
      },
      within(0, 4e-6));

  table
      .add("inside_a_box", "bool(float3, const Box&)", R"(
struct Box { float3 low, high; };
__device__ bool inside(float3 p, const Box& b) {
  return p.x >= b.low.x && p.y >= b.low.y && p.z >= b.low.z && p.x < b.high.x && p.y < b.high.y && p.z < b.high.z;
})",
           from(vectors<Vec3>(-2, 2)),
           [](Vec3 p) {
             const Eigen::Array3f x(p.x, p.y, p.z);
             return (x >= Eigen::Array3f(-1, -1.5f, 0)).all() && (x < Eigen::Array3f(1, 2, 1.75f)).all();
           })
      .state([](Memory&) {
        struct Box {
          Vec3 low, high;
        };
        return Box{{-1, -1.5f, 0}, {1, 2, 1.75f}};
      });

  table.add(
      "distance_to_a_segment", "float(float2, float2, float2)", R"(
__device__ float distance(float2 p, float2 a, float2 b) {
  const float dx = b.x - a.x, dy = b.y - a.y, px = p.x - a.x, py = p.y - a.y;
  const float t = fminf(1.0f, fmaxf(0.0f, (px * dx + py * dy) / (dx * dx + dy * dy)));
  return hypotf(px - t * dx, py - t * dy);
})",
      from([](Random& random) { return std::complex<float>(reals(-9, 9)(random), reals(-9, 9)(random)); },
           [](Random& random) { return std::complex<float>(reals(-2, -1)(random), reals(-1, 1)(random)); },
           [](Random& random) { return std::complex<float>(reals(1, 2)(random), reals(-1, 1)(random)); }),
      [](std::complex<float> p, std::complex<float> a, std::complex<float> b) {
        using Z = std::complex<double>;
        const Z local = (Z(p) - Z(a)) / (Z(b) - Z(a));  // the segment becomes [0, 1]
        const double outside = local.real() < 0 ? -local.real() : local.real() > 1 ? local.real() - 1 : 0;
        return static_cast<float>(std::hypot(outside, local.imag()) * std::abs(Z(b) - Z(a)));
      },
      within(0, 2e-5));

  table.add(
      "web_mercator", "void(double, double, double&, double&)", R"(
__device__ void mercator(double longitude, double latitude, double& x, double& y) {
  x = longitude * (20037508.342789244 / 180);
  y = log(tan((90 + latitude) * 0.0087266462599716478)) * 6378137.0;
})",
      from(doubles(-180, 180), doubles(-85, 85)),
      [](double longitude, double latitude) {
        const double s = std::sin(latitude * std::numbers::pi / 180);
        return std::tuple(longitude / 180 * std::numbers::pi * 6378137.0, 6378137.0 * std::atanh(s));
      },
      within(1e-11, 1e-5));

  table.add(
      "octahedral_encoding", "P(float3)", R"(
struct P { float x, y; };
__device__ P octahedral(float3 n) {
  const float scale = 1 / (fabsf(n.x) + fabsf(n.y) + fabsf(n.z));
  const float x = n.x * scale, y = n.y * scale;
  if (n.z >= 0) return {x, y};
  return {copysignf(1 - fabsf(y), x), copysignf(1 - fabsf(x), y)};
})",
      from(vectors<Vec3>(-1, 1)),
      [](Vec3 n) {
        const Eigen::Array3d v = eigen(n).array() / eigen(n).lpNorm<1>();
        const double fold = v[2] < 0 ? -v[2] : 0;  // |x| + |y| + |z| is 1, so that 1 - |y| is |x| + |z|
        return Vec2{static_cast<float>(v[0] + std::copysign(fold, v[0])),
                    static_cast<float>(v[1] + std::copysign(fold, v[1]))};
      },
      within(0, 1e-6));

  table.add(
      "triangle_area_by_sides", "double(double, double, double)", R"(
__device__ double heron(double a, double b, double c) {
  if (a < b) { const double t = a; a = b; b = t; }
  if (a < c) { const double t = a; a = c; c = t; }
  if (b < c) { const double t = b; b = c; c = t; }
  return 0.25 * sqrt((a + (b + c)) * (c - (a - b)) * (c + (a - b)) * (a + (b - c)));
})",
      from(doubles(3, 4), doubles(3, 4), doubles(3, 4)),
      [](double a, double b, double c) {
        const double cosine = (a * a + b * b - c * c) / (2 * a * b);
        return 0.5 * a * b * std::sqrt(1 - cosine * cosine);
      },
      within(1e-13));
}

}  // namespace graft::test::table
