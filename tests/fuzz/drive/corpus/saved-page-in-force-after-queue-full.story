headstack storyline 1
drive cheetah_9lp
host 15 adapter asynchronous
host 1 adapter asynchronous
+0 h0 command 280000B7C85B00000100 simple:free  # READ(10) 12044379 +1
+0 h0 command 55100000000000001400 simple:free out=0000000000000000010A00030000000003000000  # MODE SELECT(10)
+0 h1 command 5A083F00000000010000 simple:free in=256  # MODE SENSE(10)
+0 h1 command 280800B7C84700000100 simple:free  # READ(10) 12044359 +1 FUA
+1000000 h0 command 55110000000000001400 simple:free nodisc out=0000000000000000010A200C000000000C000000  # MODE SELECT(10)
