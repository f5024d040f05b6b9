headstack storyline 1
drive hp_c3323a
host 7 adapter asynchronous
host 6 adapter asynchronous
host 5 adapter asynchronous
+0 h0 command 2800000E6BB900000100 simple:40  # READ(10) 945081 +1
+0 h0 command 2A00000E6C3400000100 simple:23  # WRITE(10) 945204 +1
+0 h2 command 2A00000E6BE500000100 simple:52  # WRITE(10) 945125 +1
+0 h0 command 1B0000000000 simple:45  # START STOP UNIT stop
+0 h1 command 2A00000E6BE000000100 simple:26  # WRITE(10) 945120 +1
+0 h2 command 2A00000E6C5700004F00 simple:34  # WRITE(10) 945239 +79
+0 h1 command 2A00000E6C6B00000100 simple:86 nosense  # WRITE(10) 945259 +1
+0 h1 command 2A00000E6CA000000100 simple:117  # WRITE(10) 945312 +1
