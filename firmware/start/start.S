# SPDX-License-Identifier: Apache-2.0
# Vectors and start-up of the drive's core. Ibex takes exceptions at vector 0, the interrupt with
# cause n at vector n, and starts at 0x80, after the table.
#
# Handlers run on the stack of what they interrupt, with interrupts off, and see trap.h's functions.

    # For a debugger: in the table, too, the interrupted instruction is at mepc, and all registers are its own.
    .cfi_sections .debug_frame
    .section .vectors, "ax", @progbits
    .option push
    .option norvc                   # a vector is four bytes
    .balign 256
    .globl vector_table
vector_table:
    .cfi_startproc
    .cfi_signal_frame
    .cfi_return_column 4096 + 0x341
    .cfi_def_cfa sp, 0
    j trap_entry_exception          # 0: all exceptions
    .rept 10
    j trap_entry_exception          # 1 .. 10
    .endr
    j trap_entry_external           # 11: machine external interrupt, irq_ctrl
    .rept 20
    j trap_entry_exception          # 12 .. 31
    .endr
    .cfi_endproc

    .globl reset_vector             # 32 vectors end at 0x80
reset_vector:
    j start
    .option pop

# --- Start-up ---

    .section .text.start, "ax", @progbits
    .globl start
start:
    .option push
    .option norelax                 # before gp is set, nothing may be addressed through it
    la      gp, __global_pointer$
    .option pop
    la      sp, __stack_top
    # mcycle counts the clock edges that the core gets, and how many it gets asleep depends on the
    # simulator's clock gating: no program shall see it. Time is the timer's.
    csrsi   mcountinhibit, 1

    # Eight words a turn; the linker script aligns both ends to that.
    la      t0, __bss_start
    la      t1, __bss_end
    bgeu    t0, t1, 2f
1:  sw      zero, 0(t0)
    sw      zero, 4(t0)
    sw      zero, 8(t0)
    sw      zero, 12(t0)
    sw      zero, 16(t0)
    sw      zero, 20(t0)
    sw      zero, 24(t0)
    sw      zero, 28(t0)
    addi    t0, t0, 32
    bltu    t0, t1, 1b
2:  call    main
    # main does not return; if it does, that is a trap like any other.
    ebreak
3:  wfi
    j       3b

# --- Traps ---

    # What a C function may overwrite: ra, t0-t6, a0-a7.
    .equ FRAME, 64

    .macro save_registers
    addi    sp, sp, -FRAME
    sw      ra, 0(sp)
    sw      t0, 4(sp)
    sw      t1, 8(sp)
    sw      t2, 12(sp)
    sw      t3, 16(sp)
    sw      t4, 20(sp)
    sw      t5, 24(sp)
    sw      t6, 28(sp)
    sw      a0, 32(sp)
    sw      a1, 36(sp)
    sw      a2, 40(sp)
    sw      a3, 44(sp)
    sw      a4, 48(sp)
    sw      a5, 52(sp)
    sw      a6, 56(sp)
    sw      a7, 60(sp)
    .endm

    .macro restore_registers
    lw      ra, 0(sp)
    lw      t0, 4(sp)
    lw      t1, 8(sp)
    lw      t2, 12(sp)
    lw      t3, 16(sp)
    lw      t4, 20(sp)
    lw      t5, 24(sp)
    lw      t6, 28(sp)
    lw      a0, 32(sp)
    lw      a1, 36(sp)
    lw      a2, 40(sp)
    lw      a3, 44(sp)
    lw      a4, 48(sp)
    lw      a5, 52(sp)
    lw      a6, 56(sp)
    lw      a7, 60(sp)
    addi    sp, sp, FRAME
    .endm

    # For debuggers: the interrupted instruction is at mepc (CSR 0x341; DWARF numbers CSRs from 4096
    # on), its sp is above the frame, and its other registers are in the frame.

    .macro begin_trap
    .cfi_startproc
    .cfi_signal_frame
    .cfi_return_column 4096 + 0x341
    save_registers
    .cfi_def_cfa sp, FRAME
    .cfi_offset ra, 0 - FRAME
    .cfi_offset t0, 4 - FRAME
    .cfi_offset t1, 8 - FRAME
    .cfi_offset t2, 12 - FRAME
    .cfi_offset t3, 16 - FRAME
    .cfi_offset t4, 20 - FRAME
    .cfi_offset t5, 24 - FRAME
    .cfi_offset t6, 28 - FRAME
    .cfi_offset a0, 32 - FRAME
    .cfi_offset a1, 36 - FRAME
    .cfi_offset a2, 40 - FRAME
    .cfi_offset a3, 44 - FRAME
    .cfi_offset a4, 48 - FRAME
    .cfi_offset a5, 52 - FRAME
    .cfi_offset a6, 56 - FRAME
    .cfi_offset a7, 60 - FRAME
    .endm

    .macro end_trap
    restore_registers
    .cfi_def_cfa_offset 0
    .cfi_restore ra
    .cfi_restore t0
    .cfi_restore t1
    .cfi_restore t2
    .cfi_restore t3
    .cfi_restore t4
    .cfi_restore t5
    .cfi_restore t6
    .cfi_restore a0
    .cfi_restore a1
    .cfi_restore a2
    .cfi_restore a3
    .cfi_restore a4
    .cfi_restore a5
    .cfi_restore a6
    .cfi_restore a7
    mret
    .cfi_endproc
    .endm

    .section .text.traps, "ax", @progbits
    # Interrupts that no hardware raises come here, too.
    .type trap_entry_exception, @function
trap_entry_exception:
    begin_trap
    csrr    a0, mcause
    csrr    a1, mepc
    csrr    a2, mtval
    mv      a3, ra
    call    trap_exception
    csrw    mepc, a0
    end_trap
    .size trap_entry_exception, . - trap_entry_exception

    .type trap_entry_external, @function
trap_entry_external:
    begin_trap
    call    trap_external
    end_trap
    .size trap_entry_external, . - trap_entry_external
