package saltern.client.nativekernels

import saltern.client.local.VectorsThrough

/** The shared vectors, through the native kernels. What these leave to the JVM is counted by [[NativeKernelsSuite]]. */
class NativeVectorsSuite extends VectorsThrough(TestKernels.compute)
