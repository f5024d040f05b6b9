headstack storyline 1
drive small
host 7 adapter asynchronous
host 5 raw asynchronous
+0 h0 command 2800000000F000000100 simple:186  # READ(10) 240 +1
+0 h1 command 1B0100000100 simple:27 message=2C say=command:0:0:01020301 say=message-in:1:3:06  # START STOP UNIT start IMMED
+0 h0 command 041000000100 simple:13 out=00A00008000000EB000000E0  # FORMAT UNIT
