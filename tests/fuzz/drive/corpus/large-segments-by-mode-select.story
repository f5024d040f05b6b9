headstack storyline 1
drive small
host 7 adapter asynchronous
host 6 adapter fast-wide
+0 h0 command 000000000000  # TEST UNIT READY
+0 h1 command 000000000000  # TEST UNIT READY
+0 h0 command 151000001800 out=0000000008120400FFFF0000FFFFFFFF0003080000000000  # MODE SELECT(6)
+0 h0 await 0
+0 h1 command F39CE7D5B265 simple:99  # operation code F3h
+0 h0 command 151100001800 simple:64 out=0000000008120500000F00000021FFFF0002040000000000  # MODE SELECT(6)
