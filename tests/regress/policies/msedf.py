"""Cases of `msedf` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45; 4 is due at 17 ms, 1 at 42, 2 at 46, the others never.
# Expected accesses: 5.25 ms, and 1 ms and 0.1 ms a cylinder.
ORDERS = {
    # 6, 4, 2 end at 6.75, 13.4, 22.75, and 1 by 42 only directly behind: 36. Behind it 5 and 3. Upward first 4 would be late.
    "msedf": [6, 4, 2, 1, 5, 3],
}
# 6 comes behind the first choice. 4, 2 end at 7.15, 16.5; with one in between 1 ends at 36: 3, which is nearer to 2.
LATE = {"msedf": ({6: 1}, [4, 2, 3, 1, 5, 6])}
RUN = ("cheetah_4lp-deadlines-msedf", "msedf")
VECTORS = ("MS-EDF", "msedf")
