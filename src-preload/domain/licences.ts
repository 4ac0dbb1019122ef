/** Third-party packages of the app, as build/lib/bundled-packages.ts writes them to `about/licences.json`. */
export type Licences = {
  readonly packages: readonly LicensedPackage[]
  /** Licence and notice texts; many packages share a text. */
  readonly texts: readonly string[]
}

export type LicensedPackage = {
  readonly name: string
  readonly version: string
  /** The licence as an SPDX expression. */
  readonly licence: string
  readonly homepage: string | null
  /** Indexes into `texts`. */
  readonly texts: readonly number[]
}
