# SPDX-License-Identifier: Apache-2.0
"""The changes that each operator makes to a line, and the code that no operator may change."""

import unittest
from pathlib import Path

from errors import MutationError
from mutant import Mutant, squeeze
from operators import OPERATORS, mutants_of, neighbours, siblings_in
from parse import parse
from source import Rules
from tokens import C, CPP, SV

RULES = Rules(["ASSERT", "trace_event"], ["trace_hit"])


def in_function(body: str, returns: str = "uint32_t") -> str:
    return f"static {returns} f(const struct a* a, uint32_t n) {{\n{body}\n}}\n"


def in_module(items: str) -> str:
    return f"module m (\n  input logic [7:0] a_i,\n  output logic q_o\n);\n{items}\nendmodule\n"


def all_of(path: str, text: str, operators: list[str], enums: str = "") -> list[Mutant]:
    siblings = siblings_in([(SV if path.endswith(".sv") else C, enums)])
    return mutants_of(parse(path, text, RULES), operators, siblings)


def changes(path: str, text: str, *operators: str, enums: str = "") -> set[str]:
    return {m.after for m in all_of(path, text, list(operators), enums)}


class InC(unittest.TestCase):
    def check(self, body: str, operator: str, *wanted: str, returns: str = "uint32_t", enums: str = "") -> None:
        self.assertEqual(changes("a.c", in_function(body, returns), operator, enums=enums), set(wanted))

    def test_relations_move_by_one_and_turn_round(self) -> None:
        self.check("n = a < b;", "relational", "n = a <= b;", "n = a >= b;")
        self.check("n = a == b;", "relational", "n = a != b;")

    def test_logic_arithmetic_and_bits_are_exchanged(self) -> None:
        self.check("n = a && b;", "logical", "n = a || b;")
        self.check("n = a + b * c;", "arithmetic", "n = a - b * c;", "n = a + b + c;")
        self.check("n = a & b << c;", "bitwise", "n = a | b << c;", "n = a & b >> c;")
        self.check("n += 1;", "update", "n -= 1;", "n = 1;")
        self.check("++n;", "update", "--n;")

    def test_a_part_of_a_condition_is_forgotten(self) -> None:
        self.check("n = a && b < c;", "operand", "n = b < c;", "n = a ;")
        self.check("if (a || (b && c)) g();", "operand", "if ( (b && c)) g();", "if (a ) g();", "if (a || ( c)) g();", "if (a || (b )) g();")
        self.check("return f(a, b && !c);", "operand", "return f(a, !c);", "return f(a, b );")

    def test_pointers_casts_and_addresses_are_no_arithmetic(self) -> None:
        self.check("*a = &b; n = (uint32_t)-c; struct x* y = (struct x*)z;", "arithmetic")
        self.check("*a = &b; n = (uint32_t)&c; uint16_t* y = &z;", "bitwise")

    def test_a_negation_is_forgotten(self) -> None:
        self.check("n = !a;", "unary", "n = a;")
        self.check("n = ~(a - b);", "unary", "n = (a - b);")

    def test_numbers_move_by_one_and_keep_how_they_are_written(self) -> None:
        self.check("n = 0x0FU;", "constant", "n = 0x10U;", "n = 0xeU;")
        self.check("n = 0;", "constant", "n = 1;")
        self.check("n = true;", "constant", "n = false;")

    def test_conditions_are_negated_and_fixed(self) -> None:
        self.check("if (a < n) g();", "condition", "if (!(a < n)) g();", "if (1) g();", "if (0) g();")
        self.check("while (a < n) g();", "condition", "while (!(a < n)) g();")

    def test_assignments_and_calls_are_forgotten_declarations_are_not(self) -> None:
        body = "const uint32_t k = 1;\nstruct a* b = c;\na->x = k;\ng(a);\nbreak;\n(void)n;\nreturn 1;"
        self.check(body, "assignment", ";")
        mutants = all_of("a.c", in_function(body), ["assignment", "statement"])
        self.assertEqual([m.before for m in mutants], ["a->x = k;", "g(a);", "break;"])

    def test_results_change_as_their_type_allows(self) -> None:
        self.check("return a;", "returned", "return 0;", "return (a) + 1;")
        self.check("return a < b;", "returned", "return !(a < b);", returns="bool")
        self.check("return a;", "returned", "return NULL;", returns="struct x*")
        self.check("return NULL;", "returned", returns="struct x*")
        self.check("return a;", "returned", returns="struct x")

    def test_an_enumerator_becomes_the_next_of_its_type(self) -> None:
        enums = "enum state { IDLE, BUSY = 4,  // both\n DONE };"
        self.check("n = IDLE; n = DONE;", "enumerator", "n = BUSY; n = DONE;", "n = IDLE; n = IDLE;", enums=enums)
        self.check("n = a.IDLE;", "enumerator", enums=enums)

    def test_labels_of_neighbouring_cases_are_exchanged(self) -> None:
        body = "switch (n) {\ncase A: return 1;\ncase B:\ncase C: return 2;\ndefault: return 3;\n}"
        mutants = all_of("a.c", in_function(body), ["case"])
        self.assertEqual([m.after for m in mutants], ["case B: return 1; case A:"])

    def test_the_results_of_a_choice_are_exchanged(self) -> None:
        self.check("n = a ? b + 1 : g(c, d);", "choice", "n = a ? g(c, d) : b + 1;")
        self.check("g(a ? b : c, d);", "choice", "g(a ? c : b, d);")

    def test_checks_and_what_tells_a_watcher_stay_as_they_are(self) -> None:
        body = 'ASSERT(n < 1 && a != NULL);\ntrace_event(1, n + 1);\n// if (a < b) g();\n/* n = 1; */\nh("1 < 2");'
        mutants = all_of("a.c", in_function(body), list(OPERATORS))
        self.assertEqual({m.before for m in mutants}, {'h("1 < 2");'})
        self.assertEqual({m.operator for m in mutants}, {"statement"})
        self.assertEqual(all_of("a.c", in_function("g(1);").replace(" f(", " trace_hit("), list(OPERATORS)), [])

    def test_types_prototypes_and_directives_stay_as_they_are(self) -> None:
        text = (
            '#define FILE_ID FILE_ID_X\n#include "a.h"\n#if 1 < 2\n#endif\nstruct a { uint32_t b[4]; };\nenum e { A = 1 };\n'
            'extern "C" {\nuint32_t f(uint32_t n[3]);\n}\nSTATIC_ASSERT(1 < 2, "n");\n')
        self.assertEqual(all_of("a.c", text, list(OPERATORS)), [])

    def test_tables_and_named_numbers_are_code_in_a_source_and_not_in_a_header(self) -> None:
        text = "#define LIMIT 8U\nstatic const uint32_t table[2] = {3, 9};\n"
        self.assertEqual(
            changes("a.c", text, "constant"),
            {"#define LIMIT 9U", "#define LIMIT 7U"}
            | {f"static const uint32_t table[2] = {{{x}}};" for x in ("4, 9", "2, 9", "3, 10", "3, 8")})
        header = "#define LIMIT 8U\nstatic inline uint32_t f(void) { return 1; }\n"
        self.assertEqual({m.before for m in all_of("a.h", header, ["constant"])}, {"static inline uint32_t f(void) { return 1; }"})


class InCpp(unittest.TestCase):
    def check(self, body: str, operator: str, *wanted: str, returns: str = "int") -> None:
        text = f"namespace a {{\n{returns} A::f(const std::vector<int>& v) const {{\n{body}\n}}\n}}  // namespace a\n"
        self.assertEqual(changes("a.cpp", text, operator), set(wanted))

    def test_template_arguments_are_no_comparisons(self) -> None:
        self.check("const auto n = static_cast<std::uint64_t>(m);", "relational")
        self.check("std::map<int, std::vector<int>> all;", "relational")
        self.check("if (a < b && c > 4) g();", "relational", *(
            f"if ({one}) g();" for one in ("a <= b && c > 4", "a >= b && c > 4", "a < b && c >= 4", "a < b && c <= 4")))

    def test_declarations_stay_and_their_values_change(self) -> None:
        body = "const std::uint64_t k = a + 1;\nauto& x = v;\nRun run{1, 2};\nstd::vector<Run> runs(n);\nx = k;\nruns.clear();"
        self.check(body, "assignment", ";")
        mutants = all_of("a.cpp", f"void f() {{\n{body}\n}}\n", ["assignment", "statement", "arithmetic"])
        self.assertEqual([m.before for m in mutants], ["x = k;", "runs.clear();", "const std::uint64_t k = a + 1;"])

    def test_references_and_pointers_are_no_operators(self) -> None:
        self.check("for (const Run& run : runs) g(run);", "bitwise")
        self.check("if (const auto* end = find(a)) g(*end);", "condition")
        self.check("if (const int n = g(); n > 1) h();", "condition", "if (const int n = g(); !(n > 1)) h();",
                   "if (const int n = g(); 1) h();", "if (const int n = g(); 0) h();")  # fmt: skip

    def test_results_change_as_their_type_allows(self) -> None:
        self.check("return a;", "returned", "return 0;", "return (a) + 1;", returns="std::uint64_t")
        self.check("return a;", "returned", "return !(a);", returns="bool")
        self.check("return a;", "returned", "return {};", returns="std::optional<Picoseconds>")
        self.check("return {};", "returned", returns="std::string")
        self.check("return;", "returned", returns="void")

    def test_numbers_keep_their_digits_apart_or_not_and_fractions_move(self) -> None:
        self.check("n = 1'000;", "constant", "n = 1001;", "n = 999;")
        self.check("n = 0.5;", "constant", "n = (0.5 + 1);")
        self.check("n = 1e9;", "constant", "n = (1e9 + 1);")

    def test_values_of_enumerations_and_of_cases_change(self) -> None:
        enums = "enum class State : std::uint8_t { kStopped, kTurning };"
        text = "int f() {\n  g(State::kStopped);\n}\n"
        self.assertEqual(
            {m.after for m in mutants_of(parse("a.cpp", text, RULES), ["enumerator"], siblings_in([(CPP, enums)]))},
            {"g(State::kTurning);"})

    def test_classes_constructors_and_lambdas_are_code(self) -> None:
        text = (
            "class A final : public B {\n public:\n  explicit A(int n) : B(n), n_(n + 1), m_{n + 2} { g(n + 3); }\n"
            "  bool operator==(const A& other) const { return n_ == other.n_; }\n"
            "  A(const A&) = delete;\n private:\n  int n_ = 0;\n};\n"
            "template <typename T>\nvoid f(T n) {\n  each([&](int x) { h(x - 4); });\n}\n")  # fmt: skip
        self.assertEqual(changes("a.cpp", text, "arithmetic"), {
            "explicit A(int n) : B(n), n_(n - 1), m_{n + 2} { g(n + 3); }", "explicit A(int n) : B(n), n_(n + 1), m_{n - 2} { g(n + 3); }",
            "explicit A(int n) : B(n), n_(n + 1), m_{n + 2} { g(n - 3); }", "each([&](int x) { h(x + 4); });"})
        functions = {m.function for m in all_of("a.cpp", text, ["arithmetic", "relational"])}
        self.assertEqual(functions, {"A", "f", "=="})

    def test_checks_and_types_stay(self) -> None:
        text = (
            "using Table = std::array<int, 4>;\nenum class E { kA = 1, kB = 2 };\nstatic_assert(sizeof(E) == 4);\n"
            "void f() {\n  HEADSTACK_ASSERT(a < 2, \"a is one\");\n  g();\n}\n")  # fmt: skip
        rules = Rules(["HEADSTACK_ASSERT"], [])
        made = mutants_of(parse("a.cpp", text, rules), list(OPERATORS), {})
        self.assertEqual([(m.operator, m.before) for m in made], [("statement", "g();")])

    def test_sources_of_the_models_are_understood(self) -> None:
        root = Path(__file__).resolve().parents[2]
        found = sorted(root.glob("sim/*/*.cpp")) + sorted(root.glob("host/traces/**/*.cpp"))
        self.assertGreater(len(found), 100)
        for path in found:
            with self.subTest(path=path):
                source = parse(str(path), path.read_text(), RULES)
                self.assertTrue(source.functions)


class InTables(unittest.TestCase):
    ENUMS = "enum flag { ANY = 1U << 0, READY = 1U << 1 };"
    TEXT = '// Rows.\nROW(FIRST, 0x28, file, ANY | READY, handler,\n    0xF8, 0)\nDATA_ROW(SECOND, 7, file, 0, handler, "a 3")\n'

    def test_numbers_of_rows_are_code(self) -> None:
        self.assertEqual(
            changes("a.def", self.TEXT, "constant"),
            {f"ROW(FIRST, {x}, file, ANY | READY, handler," for x in ("0x29", "0x27")}
            | {"0xf9, 0)", "0xf7, 0)", "0xF8, 1)"}
            | {f'DATA_ROW(SECOND, {x}, handler, "a 3")' for x in ("8, file, 0", "6, file, 0", "7, file, 1")})

    def test_flags_of_rows_are_exchanged(self) -> None:
        self.assertEqual(
            changes("a.def", self.TEXT, "enumerator", "bitwise", enums=self.ENUMS),
            {f"ROW(FIRST, 0x28, file, {x}, handler," for x in ("READY | READY", "ANY | ANY", "ANY & READY")})

    def test_a_row_is_named_by_its_first_word(self) -> None:
        self.assertEqual({m.function for m in all_of("a.def", self.TEXT, list(OPERATORS))}, {"FIRST", "SECOND"})

    def test_what_is_no_row_is_named(self) -> None:
        with self.assertRaisesRegex(MutationError, "a.def:2: a row was expected before 'other'"):
            parse("a.def", "ROW(1)\nother\n", RULES)


class InSystemVerilog(unittest.TestCase):
    def check(self, items: str, operator: str, *wanted: str, enums: str = "") -> None:
        self.assertEqual(changes("a.sv", in_module(items), operator, enums=enums), set(wanted))

    def test_less_or_equal_is_an_assignment_where_it_is_one(self) -> None:
        self.check("assign q_o = a <= b;", "relational", "assign q_o = a < b;", "assign q_o = a > b;")
        self.check("always_ff @(posedge clk_i) begin\nif (a) q <= d;\nelse q <= e;\nend", "relational")
        self.check("always_ff @(posedge clk_i) q <= a <= b;", "relational", "always_ff @(posedge clk_i) q <= a < b;",
                   "always_ff @(posedge clk_i) q <= a > b;")

    def test_a_part_of_a_condition_is_forgotten(self) -> None:
        self.check("assign q_o = a <= b && c;", "operand", "assign q_o = c;", "assign q_o = a <= b ;")
        self.check("always_ff @(posedge clk_i) q <= a || b;", "operand", "always_ff @(posedge clk_i) q <= b;",
                   "always_ff @(posedge clk_i) q <= a ;")

    def test_sized_numbers_wrap_within_their_width(self) -> None:
        self.assertEqual(neighbours("2'd3", SV), ["2'd0", "2'd2"])
        self.assertEqual(neighbours("1'b0", SV), ["1'b1"])
        self.assertEqual(neighbours("8'hFF", SV), ["8'h0", "8'hfe"])
        self.assertEqual(neighbours("'0", SV), ["'1"])
        self.assertEqual(neighbours("4'bxx01", SV), [])

    def test_widths_ports_and_ranges_stay_as_they_are(self) -> None:
        self.check("logic [7:0] x;\nassign y = 8'(z) ^ {4{w}} ^ v[3:0];", "constant")
        self.check("assign y = v[3];", "constant", "assign y = v[4];", "assign y = v[2];")

    def test_parameters_of_the_header_are_code(self) -> None:
        text = "module m import p::*; #(\n  parameter int unsigned N = 3\n) (\n  input logic [7:0] a_i\n);\nendmodule\n"
        self.assertEqual(
            changes("a.sv", text, "constant"), {"parameter int unsigned N = 4", "parameter int unsigned N = 2"})

    def test_signals_stick(self) -> None:
        self.check("assign q_o = a & b;", "stuck", "assign q_o = '0;", "assign q_o = '1;")
        self.check("assign q_o = 1'b0;", "stuck", "assign q_o = '1;")

    def test_assignments_are_forgotten_in_every_process(self) -> None:
        items = (
            "always_comb begin : name\nd = q;\nunique case (q)\nStA: if (x) d = StB; else y = 1'b1;\ndefault: ;\nendcase\nend\n"
            "always_ff @(posedge clk_i or negedge rst_ni) begin\nif (!rst_ni) q <= StA; else q <= d;\nend")
        mutants = all_of("a.sv", in_module(items), ["assignment"])
        self.assertEqual(
            [m.after for m in mutants],
            [";", "StA: if (x) ; else y = 1'b1;", "StA: if (x) d = StB; else ;", "if (!rst_ni) ; else q <= d;",
             "if (!rst_ni) q <= StA; else ;"])

    def test_states_stick_and_cases_are_exchanged(self) -> None:
        enums = "typedef enum logic [1:0] { StA, StB, StC } state_e;"
        items = "always_comb begin\ncase (q)\nStA: d = StC;\nStB: d = StA;\ndefault: d = StA;\nendcase\nend"
        self.check(items, "enumerator", "StA: d = StA;", "StB: d = StB;", "default: d = StB;", enums=enums)
        self.check(items, "case", "StB: d = StC; StA: d = StA;")

    def test_assertions_stay_as_they_are(self) -> None:
        items = (
            "a_x : assert property (@(posedge clk_i) a |=> b == 1'b1);\nassume property (a < b);\n"
            "initial assert (N >= 1);\n`ifndef SYNTHESIS\nassign c = a + 1;\n`ifdef X\n`endif\nassign e = a + 1;\n`endif\n"
            "always_ff @(posedge clk_i) begin\nif (1) a_y : assert (a == b) else $error(\"1\");\nend")
        self.assertEqual({m.before for m in all_of("a.sv", in_module(items), list(OPERATORS))}, {
            'if (1) a_y : assert (a == b) else $error("1");'})
        self.assertEqual({m.operator for m in all_of("a.sv", in_module(items), list(OPERATORS))}, {"constant", "condition"})

    def test_functions_of_a_package_are_code(self) -> None:
        text = "package p;\nfunction automatic int clocks(int ns);\nint sum;\nsum = ns + 1;\nreturn sum;\nendfunction\nendpackage\n"
        self.assertEqual(changes("a.sv", text, "arithmetic", "returned"), {"sum = ns - 1;", "return ~(sum);"})


class Names(unittest.TestCase):
    TEXT = in_function("if (n > 1) return 1;\nn = 2;\nreturn 1;")

    def test_what_is_applied_is_what_was_named_and_nothing_else(self) -> None:
        mutants = all_of("a.c", self.TEXT, list(OPERATORS))
        self.assertGreater(len(mutants), 5)
        for mutant in mutants:
            new = mutant.apply(self.TEXT).split("\n")
            old = self.TEXT.split("\n")
            self.assertEqual(len(new), len(old))
            differing = [i for i, (a, b) in enumerate(zip(old, new)) if a != b]
            self.assertEqual(differing[0] + 1, mutant.line)
            self.assertEqual(squeeze(new[mutant.line - 1]), mutant.after)

    def test_a_fault_over_several_lines_moves_no_line(self) -> None:
        text = in_function("g(a,\n  n);\nif (a &&\n    n) h();")
        mutants = all_of("a.c", text, list(OPERATORS))
        self.assertGreater(len(mutants), 3)
        for mutant in mutants:
            self.assertEqual(mutant.apply(text).count("\n"), text.count("\n"), mutant.describe())

    def test_ids_differ_and_hold_when_lines_come_before(self) -> None:
        ids = {m.id for m in all_of("a.c", self.TEXT, list(OPERATORS))}
        self.assertEqual(len(ids), len(all_of("a.c", self.TEXT, list(OPERATORS))))
        self.assertEqual(ids, {m.id for m in all_of("a.c", "// more\n\n" + self.TEXT, list(OPERATORS))})

    def test_the_same_change_of_the_same_line_is_numbered(self) -> None:
        found = all_of("a.c", in_function("n = 2;\nn = 2;"), ["assignment"])
        self.assertEqual([(m.before, m.nth) for m in found], [("n = 2;", 0), ("n = 2;", 1)])

    def test_every_operator_has_a_case_here(self) -> None:
        source = Path(__file__).read_text()
        for name in OPERATORS:
            self.assertIn(f'"{name}"', source)


class Errors(unittest.TestCase):
    def test_a_file_that_ends_too_early_is_named(self) -> None:
        with self.assertRaisesRegex(MutationError, "a.c"):
            parse("a.c", "void f(void) {\n  g(1;\n", RULES)

    def test_a_file_of_another_kind_is_refused(self) -> None:
        with self.assertRaisesRegex(MutationError, "a.py.*remedy"):
            parse("a.py", "", RULES)


if __name__ == "__main__":
    unittest.main()
