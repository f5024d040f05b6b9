headstack storyline 1
drive small-64k
host 7 adapter asynchronous
host 6 adapter asynchronous
host 5 raw asynchronous
host 4 adapter asynchronous
+0 h0 command 000000000000 simple:free  # TEST UNIT READY
+0 h0 command 55100000000000001C00 simple:free out=000000000000000008120400FFFF0000001AFFFF0003002700000000  # MODE SELECT(10)
+0 h1 command 000000000000 simple:free  # TEST UNIT READY
+0 h1 command 000000000000 simple:free  # TEST UNIT READY
+0 h2 command 000000000000 simple:free  # TEST UNIT READY
+0 h3 command 000000000000 simple:free  # TEST UNIT READY
+0 h3 command 000000000000 simple:free  # TEST UNIT READY
+0 h2 command 28000000030600000100 simple:free  # READ(10) 774 +1
+0 h3 command 28000000030F00000100 simple:free nodisc  # READ(10) 783 +1
+0 h2 command 28080000032C00000100 simple:free refuse  # READ(10) 812 +1 FUA
+0 h3 command 28000000035000000100 simple:free nodisc  # READ(10) 848 +1
+0 h1 command 28000000032400000100 simple:free nodisc  # READ(10) 804 +1
+0 h0 command 28000000034100000100 simple:free  # READ(10) 833 +1
+0 h0 command 28000000033000000100 simple:free  # READ(10) 816 +1
+0 h3 command 28000000033400000100 simple:free nodisc  # READ(10) 820 +1
+0 h3 command 28080000030000000100 simple:free nodisc  # READ(10) 768 +1 FUA
+0 h0 command 2800000002FF00000100 simple:free  # READ(10) 767 +1
+0 h0 command 28000000035E00000100 simple:free  # READ(10) 862 +1
+0 h0 command 28000000034800000100 simple:free  # READ(10) 840 +1
+0 h3 command 2A000000035500000100 simple:free nodisc  # WRITE(10) 853 +1
+0 h0 command 2A000000030700000100 simple:free  # WRITE(10) 775 +1
+0 h0 command 2A000000033700000100 simple:free  # WRITE(10) 823 +1
