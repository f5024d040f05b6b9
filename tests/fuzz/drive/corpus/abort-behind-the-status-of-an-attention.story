headstack storyline 1
drive small
host 7 adapter fast
host 6 adapter asynchronous
+0 h0 command 2A0000DF7A8D00000100 simple:13  # WRITE(10) 14645901 +1
+6000000 h1 device-reset
+2000000 h1 command 280000DF7A9100000100 simple:4  # READ(10) 14645905 +1
+0 h0 command 280000DF7A8D00000100 simple:9  # READ(10) 14645901 +1
+207500 h0 command 151100001800 simple:25 out=0000000008120400FFFF0000FFFFFFFF000300D200000000  # MODE SELECT(6)
+0 h0 abort
