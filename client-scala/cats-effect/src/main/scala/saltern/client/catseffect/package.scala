package saltern.client

/** The client for cats-effect: every call is an effect that can be cancelled. */
package object catseffect {

  /** [[catseffect.SalternF]] for `IO`. */
  type SalternIO = SalternF[cats.effect.IO]
}
