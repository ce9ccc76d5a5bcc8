// Dates and times of day as databases compute them. The references use std::chrono's calendar.
#include <chrono>
#include <cstdint>

#include "scenarios/callbacks/table.hpp"

namespace graft::test::table {
namespace {

using namespace std::chrono;

struct Date {
  int year;
  short month, day;
};

year_month_day calendar(int days_since_1970) {
  return year_month_day(sys_days(days(days_since_1970)));
}
int number_of(year y, month m, day d) {
  return sys_days(y / m / d).time_since_epoch().count();
}
int year_of(const year_month_day& date) {
  return static_cast<int>(date.year());
}
unsigned month_of(const year_month_day& date) {
  return static_cast<unsigned>(date.month());
}
unsigned day_of(const year_month_day& date) {
  return static_cast<unsigned>(date.day());
}

// Days from the year 1600 to 2400.
auto any_days() {
  return integers<int>(-135140, 157054);
}

// Callbacks that need the calendar of a day share this function.
const char* const kCivil = R"(
struct Date { int year; short month, day; };
__device__ Date civil(int days) {
  days += 719468;
  const int era = (days >= 0 ? days : days - 146096) / 146097;
  const unsigned doe = static_cast<unsigned>(days - era * 146097);
  const unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
  const short day = doy - (153 * mp + 2) / 5 + 1, month = mp < 10 ? mp + 3 : mp - 9;
  return {static_cast<int>(yoe) + era * 400 + (month <= 2), month, day};
}
)";

}  // namespace

void add_dates(Table& table) {
  table.begin_kind("Dates and times");

  table.add("civil_from_days", "Date(int)", kCivil, from(any_days()), [](int n) {
    const auto date = calendar(n);
    return Date{year_of(date), static_cast<short>(month_of(date)), static_cast<short>(day_of(date))};
  });

  table
      .add("year_month_day_of_days", "void(int, short&, unsigned char&, unsigned char&)", std::string(kCivil) + R"(
__device__ void split(int days, short& year, unsigned char& month, unsigned char& day) {
  const Date date = civil(days);
  year = date.year;
  month = date.month;
  day = date.day;
})",
           from(any_days()),
           [](int n) {
             const auto date = calendar(n);
             return std::tuple(static_cast<short>(year_of(date)), static_cast<std::uint8_t>(month_of(date)),
                               static_cast<std::uint8_t>(day_of(date)));
           })
      .entry("split");

  table.add("days_from_civil", "int(int, unsigned char, unsigned char)", R"(
__device__ int days_from_civil(int y, unsigned char m, unsigned char d) {
  y -= m <= 2;
  const int era = (y >= 0 ? y : y - 399) / 400, yoe = y - era * 400;
  const int doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
  return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
})",
            from(integers<int>(1600, 2400), integers<std::uint8_t>(1, 12), integers<std::uint8_t>(1, 28)),
            [](int y, std::uint8_t m, std::uint8_t d) { return number_of(year(y), month(m), day(d)); });

  table.add("weekday", "Weekday(int)", R"(
enum class Weekday : unsigned char { Sunday, Monday, Tuesday, Wednesday, Thursday, Friday, Saturday };
__device__ Weekday weekday(int days) {
  return static_cast<Weekday>(days >= -4 ? (days + 4) % 7 : (days + 5) % 7 + 6);
})",
            from(any_days()),
            [](int n) { return static_cast<std::uint8_t>(std::chrono::weekday(sys_days(days(n))).c_encoding()); });

  table.add("is_leap_year", "bool(short)", R"(
__device__ bool is_leap(short year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); })",
            from(integers<short>(1, 9999)), [](short y) { return year(y).is_leap(); });

  table.add("last_day_of_month", "unsigned char(unsigned short, unsigned char)", R"(
__device__ unsigned char last_day(unsigned short year, unsigned char month) {
  const bool leap = (year & 3) == 0 && (year % 25 != 0 || (year & 15) == 0);
  return month == 2 ? 28 + leap : 30 | (month ^ month >> 3);
})",
            from(integers<std::uint16_t>(1, 9999), integers<std::uint8_t>(1, 12)), [](std::uint16_t y, std::uint8_t m) {
              return static_cast<std::uint8_t>(static_cast<unsigned>((year(y) / month(m) / last).day()));
            });

  table
      .add("day_of_year", "unsigned short(int)", std::string(kCivil) + R"(
__device__ unsigned short day_of_year(int days) {
  constexpr short before[12] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
  const Date d = civil(days);
  const bool leap = d.year % 4 == 0 && (d.year % 100 != 0 || d.year % 400 == 0);
  return before[d.month - 1] + d.day + (leap && d.month > 2);
})",
           from(any_days()),
           [](int n) { return static_cast<std::uint16_t>(n - number_of(calendar(n).year(), January, day(1)) + 1); })
      .entry("day_of_year");

  table
      .add("iso_week", "unsigned char(int)", R"(
__device__ int january_first(int year) {
  const int y = year - 1;
  return 365 * y + y / 4 - y / 100 + y / 400 - 719162;
}
// The week of a day is the week of its Thursday.
__device__ unsigned char iso_week(int days) {
  const int thursday = days - ((days + 3) % 7 + 7) % 7 + 3;
  int year = 1970 + thursday / 366;
  while (january_first(year + 1) <= thursday) ++year;
  while (january_first(year) > thursday) --year;
  return (thursday - january_first(year)) / 7 + 1;
})",
           from(integers<int>(-25567, 47481)),
           [](int n) {  // week 1 has the 4th of January; weeks begin on Monday
             const auto monday = [](int d) {
               return d - static_cast<int>(std::chrono::weekday(sys_days(days(d))).iso_encoding()) + 1;
             };
             int y = year_of(calendar(n)) + 1;
             while (monday(number_of(year(y), January, day(4))) > n) --y;
             return static_cast<std::uint8_t>((n - monday(number_of(year(y), January, day(4)))) / 7 + 1);
           })
      .entry("iso_week");

  table.add("time_of_day", "Time(unsigned int)", R"(
struct Time { unsigned char hours, minutes, seconds; };
__device__ Time split(unsigned seconds_of_day) {
  return {static_cast<unsigned char>(seconds_of_day / 3600), static_cast<unsigned char>(seconds_of_day / 60 % 60),
          static_cast<unsigned char>(seconds_of_day % 60)};
})",
            from(integers<unsigned>(0, 86399)), [](unsigned n) {
              struct Time {
                std::uint8_t hours, minutes, seconds;
              };
              const hh_mm_ss time{seconds(n)};
              return Time{static_cast<std::uint8_t>(time.hours().count()),
                          static_cast<std::uint8_t>(time.minutes().count()),
                          static_cast<std::uint8_t>(time.seconds().count())};
            });

  table.add("easter_sunday", "int(int)", R"(
// As month * 100 + day, by the anonymous Gregorian algorithm.
__device__ int easter(int year) {
  const int a = year % 19, b = year / 100, c = year % 100, d = b / 4, e = b % 4, f = (b + 8) / 25;
  const int g = (b - f + 1) / 3, h = (19 * a + b - d - g + 15) % 30, i = c / 4, k = c % 4;
  const int l = (32 + 2 * e + 2 * i - h - k) % 7, m = (a + 11 * h + 22 * l) / 451;
  return (h + l - 7 * m + 114) / 31 * 100 + (h + l - 7 * m + 114) % 31 + 1;
})",
            from(integers<int>(1900, 2199)),
            [](int y) {  // Gauss's method: the Sunday after the full moon, which is counted from the 21st of March
              const int century = y / 100,
                        moon = (19 * (y % 19) + 15 + century - century / 4 - (8 * century + 13) / 25) % 30;
              const int corrected = moon - (moon == 29 || (moon == 28 && y % 19 > 10) ? 1 : 0);
              const int full = number_of(year(y), March, day(21)) + corrected;
              const int sunday = full + 7 - static_cast<int>(std::chrono::weekday(sys_days(days(full))).c_encoding());
              const auto date = calendar(sunday);
              return static_cast<int>(month_of(date) * 100 + day_of(date));
            });

  table
      .add("days_after_adding_months", "int(int, signed char)", std::string(kCivil) + R"(
__device__ int add_months(int days, signed char months) {
  const Date from = civil(days);
  const int all = from.year * 12 + from.month - 1 + months;
  int year = all / 12;
  const int month = all % 12 + 1;
  const int last = month == 2 ? (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28)
                              : 30 + ((month + month / 8) & 1);
  const int day = from.day < last ? from.day : last;
  year -= month <= 2;
  const int era = year / 400, yoe = year - era * 400;
  const int doy = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
})",
           from(any_days(), integers<signed char>(-100, 100)),
           [](int n, signed char count) {
             year_month_day date = calendar(n) + months(count);
             if (!date.ok()) date = date.year() / date.month() / last;
             return static_cast<int>(sys_days(date).time_since_epoch().count());
           })
      .entry("add_months");

  table
      .add("timestamp_to_decimal", "long long(long long)", std::string(kCivil) + R"(
__device__ long long decimal(long long microseconds) {
  long long days = microseconds / 86400000000ll, rest = microseconds % 86400000000ll;
  if (rest < 0) rest += 86400000000ll, --days;
  const Date d = civil(static_cast<int>(days));
  const int s = static_cast<int>(rest / 1000000);
  return ((d.year * 100ll + d.month) * 100 + d.day) * 1000000 + s / 3600 * 10000 + s / 60 % 60 * 100 + s % 60;
})",
           from(integers<long long>(-5000000000000000, 5000000000000000)),
           [](long long n) {
             const sys_time<microseconds> time{microseconds(n)};
             const auto day_start = floor<days>(time);
             const year_month_day date(day_start);
             const hh_mm_ss clock(floor<seconds>(time - day_start));
             const long long digits = year_of(date) * 10000ll + month_of(date) * 100 + day_of(date);
             return digits * 1000000 + clock.hours().count() * 10000 + clock.minutes().count() * 100 +
                    clock.seconds().count();
           })
      .entry("decimal");
}

}  // namespace graft::test::table
