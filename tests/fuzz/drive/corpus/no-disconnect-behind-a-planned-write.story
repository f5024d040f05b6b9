headstack storyline 1
drive mvax_71mb
host 6 adapter asynchronous
host 5 raw asynchronous
+0 h1 command 8A0000000000000068C2000000010000  # WRITE(16) 26818 +1
+0 h0 command 080068980100 simple:27  # READ(6) 26776 +1
+0 h1 command 88000000000000006816000000010000 refuse  # READ(16) 26646 +1
+0 h0 command 28000000487700001900 simple:119  # READ(10) 18551 +25
+0 h0 command 8A00000000000000690F0000001D0000 simple:89  # WRITE(16) 26895 +29
