headstack storyline 1
drive small
host 6 adapter asynchronous
host 5 adapter asynchronous
host 15 adapter asynchronous
+0 h2 command 000000000000  # TEST UNIT READY
+0 h0 command 28000000018300000100  # READ(10) 387 +1
+0 h0 command 28100000011F00000100  # READ(10) 287 +1 DPO
+0 h1 command 2A080000012200000100 simple:11  # WRITE(10) 290 +1 FUA
+0 h1 command 1B0100000000 simple:3  # START STOP UNIT stop IMMED
+0 h2 command 041800000000 out=00A200040000011E  # FORMAT UNIT
