/** The third-party packages of the app, as build/lib/bundled-packages.ts writes them into `about/licences.json`. */
export type Licences = {
  readonly packages: readonly LicensedPackage[]
  /** Licence and notice texts; many packages share one. */
  readonly texts: readonly string[]
}

export type LicensedPackage = {
  readonly name: string
  readonly version: string
  /** An SPDX expression. */
  readonly licence: string
  readonly homepage: string | null
  /** Indexes into `texts`. */
  readonly texts: readonly number[]
}
