headstack storyline 1
drive small
host 7 adapter asynchronous
+0 h0 command 2A00000002AB00000100 simple:12 message=0115E9  # WRITE(10) 683 +1
