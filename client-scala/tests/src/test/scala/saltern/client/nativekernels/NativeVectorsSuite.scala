package saltern.client.nativekernels

import saltern.hashes.VectorsThrough

/** The shared vectors, through the native kernels. [[NativeKernelsSuite]] tests the settings that
  * these leave to the JVM.
  */
class NativeVectorsSuite extends VectorsThrough(TestKernels.compute)
