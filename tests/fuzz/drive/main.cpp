#include <chrono>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/fuzz/drive/generate.hpp"
#include "tests/fuzz/drive/player.hpp"
#include "tests/fuzz/drive/shrink.hpp"
#include "tests/fuzz/drive/stage.hpp"
using namespace headstack::fuzz;
static std::string kind_in_child(const Storyline& s, bool print) {
  int p[2]; if (pipe(p)) abort();
  pid_t pid = fork();
  if (pid == 0) {
    close(p[0]); if (!print) { freopen("/dev/null","w",stderr); }
    alarm(20);
    Transcript t; if (print) t = [](const std::string& l){ fmt::print("{}\n", l); };
    Played r = play(s, t);
    if (r.finding && print) fmt::print("FINDING {}\n  {}\n  expected: {}\n  at {:.6f} ms\n", r.finding->kind, r.finding->what, r.finding->expected, headstack::to_ms(r.finding->at));
    fflush(stdout);
    if (r.finding) { auto n = write(p[1], r.finding->kind.data(), r.finding->kind.size()); (void)n; }
    _exit(0);
  }
  close(p[1]); std::string k; char b[256]; ssize_t n; while ((n=read(p[0],b,256))>0) k.append(b,size_t(n));
  close(p[0]); int st; waitpid(pid,&st,0);
  if (!WIFEXITED(st)) return WTERMSIG(st)==SIGALRM ? "hang" : "crash";
  if (WEXITSTATUS(st)) return "crash";
  return k;
}
int main(int argc, char** argv) {
  if (argc > 2 && std::string(argv[1]) == "--replay") {
    const Storyline s = read_storyline(argv[2]);
    const std::string k = kind_in_child(s, true);
    fmt::print("result: {}\n", k);
    return k.empty() ? 0 : 1;
  }
  if (argc > 3 && std::string(argv[1]) == "--text") {
    Bytes b = random_bytes(strtoull(argv[2],0,10), strtoull(argv[3],0,10));
    fmt::print("{}", to_text(generate(b.data(), b.size()))); return 0;
  }
  uint64_t seed = strtoull(argv[1],0,10), first = strtoull(argv[2],0,10), n = strtoull(argv[3],0,10);
  std::string out = argc > 4 ? argv[4] : "";
  Totals t; std::map<std::string,int> kinds;
  auto begin = std::chrono::steady_clock::now();
  for (uint64_t i = first; i < first+n; ++i) {
    Bytes b = random_bytes(seed, i);
    Storyline s = generate(b.data(), b.size());
    if (out.empty()) { Played r = play(s); t.add(r.totals); if (r.finding) {++kinds[r.finding->kind]; } continue; }
    { Storyline w; w.drive = s.drive; (void)make_stage(w); w.drive="small"; (void)make_stage(w); }
    std::string k = kind_in_child(s, false);
    if (k.empty() || (getenv("SKIP") && strstr(getenv("SKIP"), k.c_str()))) continue;
    if (++kinds[k] > (getenv("CAP") ? atoi(getenv("CAP")) : 2)) continue;
    Storyline small = shrink(s, [&](const Storyline& c){ return kind_in_child(c,false)==k; }, 3000);
    std::string name = fmt::format("{}/{}-{}.story", out, seed, i);
    FILE* f = fopen(name.c_str(),"w"); auto text = to_text(small); fwrite(text.data(),1,text.size(),f); fclose(f);
    fmt::print("{} {} -> {}\n{}", k, i, name, text); fflush(stdout);
    kind_in_child(small, true);
  }
  double s = std::chrono::duration<double>(std::chrono::steady_clock::now()-begin).count();
  for (auto& [k,c] : kinds) fmt::print("{:6} {}\n", c, k);
  fmt::print("{} stories {} commands {} messages {} phases in {:.2f} s: {:.0f} events/s {:.0f} stories/s\n", t.storylines,t.commands,t.messages,t.phases,s,double(t.events())/s, double(n)/s);
}
