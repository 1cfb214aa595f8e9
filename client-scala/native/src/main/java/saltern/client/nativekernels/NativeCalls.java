package saltern.client.nativekernels;

/**
 * The functions of the library ({@code native/kernels/src/boundary.rs}). This is Java because JNI
 * finds a native method by its symbol, and a static method has the expected symbol only in Java.
 */
final class NativeCalls {
  private NativeCalls() {}

  /**
   * Starts the workers of a client. Each worker has a thread for hashes in lanes and a thread for
   * other hashes.
   *
   * @param keptBytes memory that a worker may keep between two hashes
   * @param ceilings in the order of {@code saltern.hashes.Ceilings}
   * @return a handle for the calls below; 0 if the system gives no threads
   */
  static native long open(int workers, long keptBytes, long[] ceilings);

  /**
   * Computes one hash while the calling thread waits. The arrays are copied, and the copies are
   * wiped before it returns.
   *
   * @param call a number that no other current call of this pool has; {@link #cancel} takes it
   * @param setting the text of a hash, with any output of the right length
   * @param output receives the output; must have the right length
   * @return one of the numbers below
   */
  static native int compute(long pool, long call, byte[] setting, byte[] password, long nanosLeft, byte[] output);

  /**
   * Ends a call that another thread waits for, as {@link #CANCELLED}. A waiting hash is dropped. A
   * hash in a lane is dropped within about a millisecond. A hash that is computed whole is
   * completed and its output dropped. If the call has ended, or does not wait yet, this has no
   * effect.
   */
  static native void cancel(long pool, long call);

  /** Ends the workers when the hashes in progress have ended. */
  static native void close(long pool);

  static final int DONE = 0;

  /** The deadline cannot be met because of the work that waits ahead. */
  static final int OVERLOADED = 1;

  static final int DEADLINE_EXCEEDED = 2;

  /** A fault of the library. */
  static final int FAULT = 3;

  /** The client admitted a cost that the library does not admit. */
  static final int COST_OUT_OF_BOUNDS = 4;

  /** The library does not compute this setting; the JVM does. */
  static final int NOT_READ_HERE = 5;

  static final int CLOSED = 6;

  /** The system gave no memory for the hash. */
  static final int NO_MEMORY = 7;

  static final int CANCELLED = 8;
}
