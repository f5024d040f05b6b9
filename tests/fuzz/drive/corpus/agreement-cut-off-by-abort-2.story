headstack storyline 1
drive small
host 6 adapter fast-wide
host 5 adapter fast
+0 h0 command B70C000000000000003B0000 simple:7 in=59  # READ DEFECT DATA(12)
+60000000 h1 command 28000000044E00000100  # READ(10) 1102 +1
+0 h1 abort-tag tag=6
+50000 h0 command 2A000000059700000500 simple:2  # WRITE(10) 1431 +5
+475000 h1 abort
+0 h1 command 0800059E0100  # READ(6) 1438 +1
