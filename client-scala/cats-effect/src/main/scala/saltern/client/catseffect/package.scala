package saltern.client

package object catseffect {

  /** [[catseffect.SalternF]] for `IO`. */
  type SalternIO = SalternF[cats.effect.IO]
}
