// CSV (one line a shape and contender) and JSON of a bench run.
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "src/cli/bench/report.h"

namespace fastgemm::cli {
namespace {

using Json = nlohmann::ordered_json;

// RFC 4180: quoted where a comma, a quote or a line end is in it.
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

Json gpu_json(const Gpu& gpu) {
  return {{"name", gpu.name},
          {"compute_capability", gpu.device.compute_capability},
          {"sm_count", gpu.device.sm_count},
          {"clock_ghz", gpu.device.clock_ghz},
          {"memory_bytes", gpu.memory_bytes},
          {"memory_gbps", gpu.device.memory_gbps},
          {"l2_bytes", gpu.device.l2_bytes},
          {"fp32_tflops", gpu.fp32_tflops},
          {"fp16_tflops", gpu.fp16_tflops}};
}

Json protocol_json(const Protocol& protocol) {
  return {{"regime", protocol.regime},
          {"idle_ms", protocol.idle_ms},
          {"trials", protocol.trials},
          {"warm_up", protocol.warm_up},
          {"flush_bytes", protocol.flush_bytes},
          {"workspace_bytes", protocol.workspace_bytes},
          {"lt_heuristics", protocol.lt_heuristics},
          {"math", protocol.math},
          {"data", protocol.data}};
}

Json shape_json(const Shape& shape) {
  return {{"tag", shape.tag},
          {"type", type_name(shape.type)},
          {"ops", ops_name(shape.op_a, shape.op_b)},
          {"m", shape.m},
          {"n", shape.n},
          {"k", shape.k},
          {"lda", shape.lda},
          {"ldb", shape.ldb},
          {"ldc", shape.ldc},
          {"alpha", shape.alpha},
          {"beta", shape.beta},
          {"align", shape.align},
          {"calls", shape.calls},
          {"intensity", shape.intensity()}};
}

Json result_json(const Row& row, const Result& result) {
  Json json{{"contender", result.contender}, {"ours", result.ours}, {"detail", result.detail}};
  if (!result.measured()) {
    json["skipped"] = result.skipped;
  } else {
    json["ms"] = result.ms;
    json["ms_min"] = result.ms_min;
    json["ms_max"] = result.ms_max;
    json["tflops"] = tflops(row.shape, result.ms);
    json["trials"] = result.trials;
    json["ratio_to_best_other"] = ratio(row, result);
  }
  if (result.compared) {
    json["max_difference"] = result.max_difference;
    json["differing"] = result.differing;
  }
  if (result.checked) {
    json["max_error_fp64"] = result.max_error;
    json["error_bound"] = result.error_bound;
  }
  if (!result.wrong.empty()) json["wrong"] = result.wrong;
  return json;
}

Json row_json(const Row& row) {
  Json json = shape_json(row.shape);
  if (!row.plan_kernel.empty()) {
    json["plan"] = {{"kernel", row.plan_kernel}, {"predicted_us", row.plan_us}, {"reason", row.plan_reason}};
  }
  json["checked_part"] = row.checked_part;
  json["results"] = Json::array();
  for (const Result& result : row.results) json["results"].push_back(result_json(row, result));
  return json;
}

Json summaries_json(const Report& report) {
  Json summaries = Json::array();
  std::vector<std::pair<DataType, std::string>> done;
  for (const Row& row : report.rows) {
    for (const Result& result : row.results) {
      const std::pair key{row.shape.type, result.contender};
      if (!result.ours || std::find(done.begin(), done.end(), key) != done.end()) continue;
      done.push_back(key);
      const Summary summary = summarize(report.rows, row.shape.type, result.contender);
      if (summary.rows == 0) continue;
      summaries.push_back({{"type", type_name(row.shape.type)},
                           {"contender", result.contender},
                           {"geometric_mean", summary.geometric_mean},
                           {"rows", summary.rows},
                           {"worst", summary.worst},
                           {"worst_shape", summary.worst_shape}});
    }
  }
  return summaries;
}

}  // namespace

std::string csv_text(const Report& report) {
  std::ostringstream out;
  out << "tag,type,ops,m,n,k,lda,ldb,ldc,alpha,beta,contender,ours,detail,ms,ms_min,ms_max,tflops,trials,"
         "ratio_to_best_other,max_difference,differing,max_error_fp64,note\n";
  for (const Row& row : report.rows) {
    const Shape& s = row.shape;
    for (const Result& r : row.results) {
      out << csv_cell(s.tag) << ',' << type_name(s.type) << ',' << ops_name(s.op_a, s.op_b) << ',' << s.m << ',' << s.n
          << ',' << s.k << ',' << s.lda << ',' << s.ldb << ',' << s.ldc << ',' << number(s.alpha) << ','
          << number(s.beta) << ',' << csv_cell(r.contender) << ',' << (r.ours ? 1 : 0) << ',' << csv_cell(r.detail)
          << ',';
      if (r.measured()) {
        out << number(r.ms) << ',' << number(r.ms_min) << ',' << number(r.ms_max) << ',' << number(tflops(s, r.ms))
            << ',' << r.trials << ',' << number(ratio(row, r)) << ',';
      } else {
        out << ",,,,,,";
      }
      out << (r.compared ? number(r.max_difference) : "") << ',' << (r.compared ? std::to_string(r.differing) : "")
          << ',' << (r.checked ? number(r.max_error) : "") << ','
          << csv_cell(r.wrong.empty() ? r.skipped : "WRONG: " + r.wrong) << '\n';
    }
  }
  return out.str();
}

std::string json_text(const Report& report) {
  Json json{{"format", "fastgemm-bench-1"},
            {"date", report.date},
            {"command_line", report.command_line},
            {"fastgemm_version", report.library_version},
            {"measured_on_gpu", report.measured_on_gpu}};
  if (report.gpu) json["gpu"] = gpu_json(*report.gpu);
  if (!report.no_gpu_reason.empty()) json["no_gpu_reason"] = report.no_gpu_reason;
  if (!report.host.empty()) json["host"] = report.host;
  json["cuda"] = {{"driver", report.driver_version}, {"runtime", report.runtime_version}};
  json["cublas"] = {{"version", report.cublas_version}, {"path", report.cublas_path}};
  json["protocol"] = protocol_json(report.protocol);
  json["rows"] = Json::array();
  for (const Row& row : report.rows) json["rows"].push_back(row_json(row));
  json["summary"] = summaries_json(report);
  return json.dump(2) + "\n";
}

}  // namespace fastgemm::cli
