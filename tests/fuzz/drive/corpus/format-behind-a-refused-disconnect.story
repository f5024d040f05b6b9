headstack storyline 1
drive small
host 6 raw asynchronous
+0 h0 command 030000001200 simple:1 in=18  # REQUEST SENSE
+0 h0 command 040000000000 simple:0 say=message-in:0:0:07  # FORMAT UNIT
