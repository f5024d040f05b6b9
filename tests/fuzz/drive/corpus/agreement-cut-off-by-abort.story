headstack storyline 1
drive small
host 15 adapter fast
+0 h0 command 000000000000  # TEST UNIT READY
+0 h0 await 0
+0 h0 command 12000000FF00 simple:4 in=255  # INQUIRY
+70000 h0 abort
+0 h0 command 151000001000 simple:3 out=000000000A0A00020000000000000000  # MODE SELECT(6)
