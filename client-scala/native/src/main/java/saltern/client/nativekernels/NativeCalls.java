package saltern.client.nativekernels;

/**
 * What the library gives: {@code native/kernels/src/boundary.rs}. In Java, because there a static native method has the symbol
 * that it seems to have.
 */
final class NativeCalls {
  private NativeCalls() {}

  /**
   * Starts the workers of a client: a thread for hashes in lanes and one for the others, for each.
   *
   * @param keptBytes memory that a worker may keep between two hashes
   * @param ceilings in the order of {@code saltern.client.local.Ceilings}
   * @return a number for the calls below; 0 where the system gives no threads
   */
  static native long open(int workers, long keptBytes, long[] ceilings);

  /**
   * Computes one hash while the calling thread waits. The arrays are copied, and the copies wiped before it returns.
   *
   * @param call any number that no other call of this pool has at the time: what {@link #cancel} finds it by
   * @param setting the text of a hash, with anything of the right length for its output
   * @param output where the output goes; of the right length
   * @return one of the numbers below
   */
  static native int compute(long pool, long call, byte[] setting, byte[] password, long nanosLeft, byte[] output);

  /**
   * Ends a call that another thread waits in, as {@link #CANCELLED}: what waits for a worker is forgotten, a hash in a lane is given
   * up within about a millisecond, and one that is computed whole runs to its end for nobody. A call that has ended, or does not
   * wait yet, is let be.
   */
  static native void cancel(long pool, long call);

  /** Ends the workers when what is under way has ended. */
  static native void close(long pool);

  static final int DONE = 0;

  /** What waits ahead makes the deadline unreachable. */
  static final int OVERLOADED = 1;

  static final int DEADLINE_EXCEEDED = 2;

  /** A fault of the library's. */
  static final int FAULT = 3;

  /** The client admitted what the library does not. */
  static final int COST_OUT_OF_BOUNDS = 4;

  /** Nothing for these kernels: the JVM's to compute. */
  static final int NOT_READ_HERE = 5;

  static final int CLOSED = 6;

  /** The system gave no memory for the hash. */
  static final int NO_MEMORY = 7;

  static final int CANCELLED = 8;
}
