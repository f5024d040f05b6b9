headstack storyline 1
drive small
host 6 adapter asynchronous
+0 h0 command 000000000000  # TEST UNIT READY
+0 h0 command 041000000100 nodisc out=00A00000  # FORMAT UNIT
+2000000000 h0 command 28100000021400000100  # READ(10) 532 +1 DPO
