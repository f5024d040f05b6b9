headstack storyline 1
drive small
host 6 raw asynchronous
+0 h0 command 2A08000001C700000100 simple:46  # WRITE(10) 455 +1 FUA
+0 h0 command 0A0001D10400 simple:4  # WRITE(6) 465 +4
+0 h0 await 0
+0 h0 command 8A0000000000000001D4000000010000 simple:15  # WRITE(16) 468 +1
+0 h0 command 2A08000001CE00000400 simple:123  # WRITE(10) 462 +4 FUA
+0 h0 command 3500000001D000000200 simple:106  # SYNCHRONIZE CACHE(10) 464 +2
+700000 h0 device-reset
+0 h0 command 0A0001D40100 lun=6 opening=A8  # WRITE(6) 468 +1
