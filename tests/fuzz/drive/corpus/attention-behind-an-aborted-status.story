headstack storyline 1
drive small
host 6 adapter fast
host 5 adapter asynchronous
+0 h0 command 2A00000006A200000100  # WRITE(10) 1698 +1
+400000000 h1 device-reset
+1000000 h0 command 4D00500000000000D900 simple:1 in=217  # LOG SENSE
+70000 h0 abort-tag tag=1
+0 h0 command 2A00000006AE00000100  # WRITE(10) 1710 +1
