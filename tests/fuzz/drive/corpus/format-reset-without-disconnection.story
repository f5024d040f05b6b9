headstack storyline 1
drive small
host 5 adapter asynchronous
host 1 raw asynchronous
+0 h1 command 000000000000  # TEST UNIT READY
+3000000 h1 command 041000000000 out=00A000080000011400000110 noatn  # FORMAT UNIT
+0 h0 device-reset
