headstack storyline 1
drive small
host 6 raw asynchronous
+0 h0 command 28000000013800000100 simple:2  # READ(10) 312 +1
+0 h0 command 88180000000000000141000000010000 simple:1  # READ(16) 321 +1 FUA DPO
+0 h0 command 8A00000000000000012E000000010000 simple:6  # WRITE(16) 302 +1
+0 h0 command 1B0000000000 simple:5  # START STOP UNIT stop
+0 h0 await 3
+700000 h0 command 12000000FF00 simple:1 in=255  # INQUIRY
+7000 h0 abort-tag tag=4
