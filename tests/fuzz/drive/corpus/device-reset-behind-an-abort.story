headstack storyline 1
drive small
host 5 raw asynchronous
host 1 adapter asynchronous
+0 h0 command 000000000000  # TEST UNIT READY
+0 h1 command 2A000000013500000100 simple:0  # WRITE(10) 309 +1
+0 h1 command 28000000011E00000100 simple:1  # READ(10) 286 +1
+6000000 h0 command 2A000000012500002400 simple:1 message=01020301  # WRITE(10) 293 +36
+0 h1 command 151000001800 simple:0 out=0000000008120100FFFF0000FFFFFFFF0003002A00000000  # MODE SELECT(6)
+0 h1 command 28000000014D00000100 simple:1  # READ(10) 333 +1
+4000000 h0 abort
+0 h0 device-reset
+0 h1 await 0
+0 h0 command 2A000000011E00000100 simple:1  # WRITE(10) 286 +1
