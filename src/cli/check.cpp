#include "src/cli/check.h"

#include <cuda_runtime_api.h>

#include <cstdio>
#include <fstream>
#include <string_view>
#include <vector>

#include "src/cli/verify.h"
#include "src/cli/verify_plan.h"

namespace fastgemm::cli {
namespace {

constexpr int kQuickRandomCases = 2000;
constexpr int kThoroughRandomCases = 20000;
constexpr std::uint64_t kRandomSeed = 20240229;

struct Row {
  std::string name;
  bool available = true;
  std::int64_t ran = 0;
  std::int64_t declined = 0;
  std::int64_t failed = 0;
};

const char* type_name(DataType type) { return type == DataType::kFloat32 ? "f32" : "f16"; }

// Runs the cases and counts what came of them.
Row run_cases(Verifier* verifier, const std::string& name, const std::vector<Case>& cases) {
  Row row{name, true, verifier->ran(), verifier->declined(), verifier->failed()};
  for (const Case& c : cases) verifier->add(c);
  verifier->finish();
  row.ran = verifier->ran() - row.ran;
  row.declined = verifier->declined() - row.declined;
  row.failed = verifier->failed() - row.failed;
  return row;
}

void print_row(const Row& row) {
  if (!row.available) {
    std::printf("  %-36s not for this GPU\n", row.name.c_str());
    return;
  }
  std::printf("  %-36s %7lld ran", row.name.c_str(), static_cast<long long>(row.ran));
  if (row.declined > 0) std::printf(", %lld declined", static_cast<long long>(row.declined));
  if (row.failed > 0) {
    std::printf(", %lld FAILED\n", static_cast<long long>(row.failed));
  } else {
    std::printf(row.ran > 0 ? ", all right\n" : ", nothing checked\n");
  }
  std::fflush(stdout);
}

std::string device_name() {
  int device = 0;
  cudaDeviceProp properties{};
  if (cudaGetDevice(&device) != cudaSuccess || cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
    return "unknown GPU";
  }
  return properties.name;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + "\"";
}

bool write_json(const std::string& file, const std::vector<Row>& rows, const Verifier& verifier) {
  std::ofstream out(file);
  out << "{\n  \"device\": " << quoted(device_name()) << ",\n  \"ran\": " << verifier.ran()
      << ",\n  \"declined\": " << verifier.declined() << ",\n  \"failed\": " << verifier.failed()
      << ",\n  \"kernels\": [";
  const char* separator = "\n";
  for (const Row& row : rows) {
    out << separator << "    {\"name\": " << quoted(row.name)
        << ", \"available\": " << (row.available ? "true" : "false") << ", \"ran\": " << row.ran
        << ", \"declined\": " << row.declined << ", \"failed\": " << row.failed << "}";
    separator = ",\n";
  }
  out << "\n  ],\n  \"failures\": [";
  separator = "\n";
  for (const Failure& failure : verifier.failures()) {
    out << separator << "    {\"case\": " << quoted(spell(failure.the_case)) << ", \"what\": " << quoted(failure.what)
        << "}";
    separator = ",\n";
  }
  out << "\n  ]\n}\n";
  out.close();
  return static_cast<bool>(out);
}

void print_failures(const Verifier& verifier) {
  if (verifier.failures().empty()) return;
  const Failure& first = verifier.failures().front();
  std::printf("first failure: %s\n  %s\nrepeat it with: fastgemm check --case \"%s\"\n", spell(first.the_case).c_str(),
              first.what.c_str(), spell(first.the_case).c_str());
}

std::vector<Case> random_cases(const std::vector<KernelInfo>& kernels, int count) {
  std::mt19937_64 random(kRandomSeed);
  std::vector<Case> cases;
  cases.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) cases.push_back(random_case(&random, kernels));
  return cases;
}

// False when options.kernel names nothing.
bool check_everything(const CheckOptions& options, Verifier* verifier, std::vector<Row>* rows) {
  const std::vector<KernelInfo> own = list_kernels(verifier->handle());
  std::vector<KernelInfo> all = own;
  for (const KernelInfo& row : fallback_rows()) all.push_back(row);
  const PlanSize size = options.thorough ? PlanSize::kThorough : PlanSize::kQuick;
  for (const KernelInfo& kernel : all) {
    if (verifier->dead() || (!options.kernel.empty() && kernel.name != options.kernel)) continue;
    const std::string name = kernel.name == "cublas" ? "cublas, " + std::string(type_name(kernel.type)) : kernel.name;
    rows->push_back(kernel.available ? run_cases(verifier, name, kernel_cases(kernel, size)) : Row{name, false});
    print_row(rows->back());
  }
  if (!options.kernel.empty()) return !rows->empty();
  const int count = options.thorough ? kThoroughRandomCases : kQuickRandomCases;
  rows->push_back(run_cases(verifier, "random calls, any kernel", random_cases(own, count)));
  print_row(rows->back());
  return true;
}

int check_one(const CheckOptions& options, Verifier* verifier) {
  Case c;
  std::string error;
  if (!parse_case(options.only_case, &c, &error)) {
    std::fprintf(stderr, "check: %s\n", error.c_str());
    return 2;
  }
  verifier->add(c);
  verifier->finish();
  if (verifier->failed() == 0) {
    std::printf("%s: %s\n", spell(c).c_str(), verifier->declined() > 0 ? "declined" : "right");
    return 0;
  }
  print_failures(*verifier);
  return 1;
}

// An available kernel of ours that declined everything has not been checked at all.
bool checked_all(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const bool fallback = row.name.starts_with("cublas");
    if (row.available && !fallback && row.ran == 0) return false;
  }
  return true;
}

}  // namespace

int run_check(const CheckOptions& options) {
  std::string error;
  const std::unique_ptr<Verifier> verifier = Verifier::create(&error);
  if (verifier == nullptr) {
    std::fprintf(stderr, "check: nothing to check on: %s\n", error.c_str());
    return 2;
  }
  verifier->set_one_by_one(options.one_by_one);
  if (!options.only_case.empty()) return check_one(options, verifier.get());

  std::printf("checking on %s\n", device_name().c_str());
  std::vector<Row> rows;
  if (!check_everything(options, verifier.get(), &rows)) {
    std::fprintf(stderr, "check: no kernel is named \"%s\" (see fastgemm info)\n", options.kernel.c_str());
    return 2;
  }
  const bool all_right = verifier->failed() == 0 && checked_all(rows);
  std::printf("%s: %lld calls checked, %lld declined, %lld failed\n", all_right ? "all right" : "FAILED",
              static_cast<long long>(verifier->ran()), static_cast<long long>(verifier->declined()),
              static_cast<long long>(verifier->failed()));
  print_failures(*verifier);
  if (!options.json_file.empty() && !write_json(options.json_file, rows, *verifier)) {
    std::fprintf(stderr, "check: cannot write %s\n", options.json_file.c_str());
    return 2;
  }
  return all_right ? 0 : 1;
}

}  // namespace fastgemm::cli
