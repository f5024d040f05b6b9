headstack storyline 1
drive small
host 7 adapter asynchronous
flaw write_fault 1857
+0 h0 command 000000000000  # TEST UNIT READY
+0 h0 command 151000001800 out=0000000008120400FFFF0000FFFFFFFF0003004000000000  # MODE SELECT(6)
+0 h0 command 2A000000074100000100  # WRITE(10) 1857 +1
