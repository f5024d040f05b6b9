// SPDX-License-Identifier: Apache-2.0
// The number of streams of one rate that a drive carries: the host's part of the round-based
// schemes of Kim, Bahn and Won (docs/policies.md).
//
// n streams read requests of B bytes. Each needs k of them in a round of length T: k = T rate / B,
// rounded up. The drive's description gives, as worst cases:
//
//     h     overhead of a request, given
//     R     a revolution (half of one on a drive whose latency is always the mean)
//     X     transfer of a request wherever it begins, in the slowest zone, with its track switches
//     f(d)  positioning over d cylinders, with a head switch, settling for writes
//     a     = h + f(C - 1) + R + X: a request by itself; C: cylinders
//     W(m)  = m (h + R + X + F(min(C - 1, 2 (C - 1) / m))): a sweep of m requests
//
// F is the least concave function that is nowhere below f. A sweep from any cylinder goes to one
// end of its requests and back to the other: at most 2 (C - 1) cylinders. By Jensen's inequality, m
// moves over D cylinders in all take at most m F(D / m), on any seek curve. (Y. Oyang, ICDE 1995,
// shows that for concave curves and a sweep in one direction.)
//
// scheme   formula                                      source; [numbers] are that paper's
// gss      g groups of n/g, rounded up and down:        Yu, Chen, Kandlur 1992 [15]
//          sum of W(k size) <= T
//          buffer k B (n + ceil(n / g))
// rangan   n a + n (k - 1) b <= T, b = h + f(s) + R + X Vin, Rangan 1993 [14]; Rangan, Vin,
//          within s cylinders of the block before;      Ramanathan, IEEE Comm. Mag. 30(7), 1992
//          rounds of any length: n < B / (rate b)
//          buffer 2 n k B
// reddy    n k a <= share T: the periodic class by      Wijayarathne, Reddy 2000 [20]
//          deadline in its share of the drive's time
//          buffer 2 n k B
// wrr      W(n k + best effort) <= T                    Tsai, Chu, Huang 2004 [21]
//          buffer 2 n k B
// chen     N = n k requests by arrival: mean            Chen, Little 1993 [17]: a share of rounds
//          N u + z sqrt(N v + 2 (N - 1) c) <= T,        that may be late; that the sum is normal:
//          z: normal quantile of the share of rounds    Vin, Goyal, Goyal, ACM Multimedia 1994
//          that may be late; buffer 2 n k B
// horizon  n k a / T + a / T <= 1: utilizations, and    Povzner, Sawyer, Brandt 2010 [24], with
//          one request that cannot be interrupted       Fahrrad's worst case a [23]
//          buffer 2 n k B
//
// chen's u and v are mean and variance of a request between two random cylinders at a random angle.
// c is the covariance of two consecutive requests, which share a cylinder.
//
// `response` is the longest time of a request if each stream has k requests a round, and rounds
// follow each other at once. It is the sum of T, the present round (in gss the visit), and one
// request a, since the drive chooses while it serves another. For reddy it is two rounds and a.
// horizon promises its deadline, T; chen promises nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/description/description.hpp"
#include "sim/mechanics/access.hpp"

namespace headstack::cli {

struct AdmissionLoad {
  double bytes_per_second = 0;  // rate of a stream
  std::uint32_t blocks = 128;   // blocks of a request
  double round_ms = 0;          // length of a round; 0: the time for which a stream's request lasts
  double overhead_ms = 0.5;     // overhead of a request
  bool is_write = false;
  std::uint32_t groups = 0;       // number of groups of gss; 0: the one that needs the least buffer
  std::uint32_t scatter = 0;      // rangan: most cylinders between consecutive blocks
  double share = 0.5;             // reddy: share of real time
  std::uint32_t best_effort = 0;  // wrr: best-effort requests in a round
  double late_rounds = 0.001;     // chen: share of the rounds that may be late
  double buffer_bytes = 0;        // limit for all streams; 0: none
};

/// The drive's times for the formulas, in ms.
class ServiceBounds {
 public:
  ServiceBounds(const drive::Design& design, const mechanics::AccessModel& model,
                const AdmissionLoad& load);

  double revolution() const { return revolution_; }
  double transfer() const { return transfer_; }
  double longest_seek() const { return seeks_.back(); }
  /// Time of a request at a distance of `cylinders`.
  double alone(std::uint32_t cylinders) const { return fixed() + seeks_[cylinders]; }
  double alone() const { return alone(last_cylinder()); }
  std::uint32_t last_cylinder() const { return static_cast<std::uint32_t>(seeks_.size()) - 1; }
  /// Time of a sweep of `requests` requests at the worst places; 0 for none.
  double sweep(std::uint64_t requests) const;
  /// Rates of the slowest and the fastest zone while sectors pass, in bytes per second.
  double slowest_rate() const { return slowest_rate_; }
  double fastest_rate() const { return fastest_rate_; }

  struct Moments {
    double mean = 0;
    double variance = 0;
    double covariance = 0;
  };
  Moments moments() const;

 private:
  double fixed() const { return overhead_ + revolution_ + transfer_; }
  double envelope(double cylinders) const;

  double overhead_;
  double revolution_;
  bool mean_latency_;
  double transfer_ = 0;
  double slowest_rate_ = 0;
  double fastest_rate_ = 0;
  std::vector<double> seeks_;        // times by distance in cylinders, never decreasing
  std::vector<std::uint32_t> hull_;  // corners of the concave envelope, ascending
};

struct Admission {
  std::string scheme;
  std::string formula;  // one line for display
  std::uint64_t streams = 0;
  double busy_ms = 0;  // busy part of the round, with that many streams
  double buffer_bytes = 0;
  std::optional<double> response_ms;       // longest response of a request
  std::optional<std::uint64_t> groups;     // gss: number of groups
  std::optional<std::uint64_t> any_round;  // rangan: streams in rounds of any length
};

struct AdmissionResult {
  double round_ms = 0;
  std::uint64_t requests_per_round = 0;  // requests of a stream in a round
  std::vector<Admission> schemes;
};

/// The names of the schemes on the command line.
std::vector<std::string> admission_schemes();

/// Applies the named schemes.
AdmissionResult admit(const ServiceBounds& bounds, const AdmissionLoad& load, double request_bytes,
                      const std::vector<std::string>& schemes);

}  // namespace headstack::cli
