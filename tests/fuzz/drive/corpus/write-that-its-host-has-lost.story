headstack storyline 1
drive small
host 7 adapter asynchronous
host 6 raw asynchronous
+0 h0 command 000000000000  # TEST UNIT READY
+0 h1 command 2A00000000EE00000100  # WRITE(10) 238 +1
+0 h0 command 2A00000001B600000100 simple:29  # WRITE(10) 438 +1
+0 h1 command 2A080000015100008F00 refuse say=message-in:0:0:014B70  # WRITE(10) 337 +143 FUA
+70000000 h0 command 2808000001BE00000100 simple:9  # READ(10) 446 +1 FUA
