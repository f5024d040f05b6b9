headstack storyline 1
drive small-64k
host 7 adapter asynchronous
host 6 adapter asynchronous
flaw write_fault 1176
+0 h0 command 000000000000  # TEST UNIT READY
+0 h0 command 151000001800 out=0000000008120400FFFF0000FFFFFFFF0003008000000000  # MODE SELECT(6)
+0 h0 command 28000000049000000100  # READ(10) 1168 +1
+0 h1 clear-queue
+0 h1 command 2A000000049C00000100 simple:25  # WRITE(10) 1180 +1
+0 h1 command 0800049E0100 simple:12  # READ(6) 1182 +1
+50000000 h0 abort
+0 h1 command 2A000000049800000100 simple:12  # WRITE(10) 1176 +1
+0 h1 command 2A080000049300000C00 simple:22  # WRITE(10) 1171 +12 FUA
+0 h0 command 28000000048F00000100  # READ(10) 1167 +1
+4000000 h0 command 2A00000005D000000100  # WRITE(10) 1488 +1
+0 h1 command 0A00039B0100 simple:7  # WRITE(6) 923 +1
+500000000 h1 command 1B0000000100 simple:21  # START STOP UNIT start
