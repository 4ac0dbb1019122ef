/**
 * Lists the packages that vite bundled into the app: their licences for a page in the window, and a
 * bill of materials (CycloneDX). Package managers only know the dependencies of package.json, and
 * nearly all of ours are bundled from its devDependencies.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import type { LicensedPackage, Licences } from '../../src-preload/domain/licences.ts'

type Manifest = {
  readonly name: string
  readonly version: string
  readonly license?: string | { readonly type: string }
  readonly homepage?: string
  readonly author?: string | { readonly name: string }
}

type Lock = {
  readonly packages: Readonly<Record<string, { readonly integrity?: string } | undefined>>
}

type BundledPackage = Omit<LicensedPackage, 'texts'> & {
  /** The full texts of licence and notice files. */
  readonly texts: readonly string[]
  /** The SHA-512 digest of the package's archive in the registry, in hexadecimal. */
  readonly sha512: string | null
}

/**
 * Each part of the build has one of these plugins. The window's part is built last and writes the
 * files for all parts.
 * @param others packages that are shipped without being bundled
 */
export function bundledPackages(root: string, others: readonly string[]) {
  const folders = new Set(others.map((name) => `node_modules/${name}`))
  const collect = (): Plugin => ({
    name: 'bundled-packages',
    generateBundle(_options, bundle) {
      for (const output of Object.values(bundle)) {
        if (output.type !== 'chunk') continue
        for (const id of output.moduleIds) {
          const folder = packageFolder(id)
          if (folder !== null) folders.add(folder)
        }
      }
    },
  })
  const write = (): Plugin => ({
    name: 'about-files',
    generateBundle: {
      order: 'post',
      handler() {
        const emit = (name: string, source: string) =>
          this.emitFile({ type: 'asset', fileName: `about/${name}`, source })
        const packages = readPackages(root, [...folders])
        emit('licences.json', JSON.stringify(listLicences(packages)))
        emit('sbom.cdx.json', JSON.stringify(billOfMaterials(root, packages), null, 1))
        emit('changelog.txt', readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))
      },
    },
  })
  return { collect, write }
}

/** The folder of a module's package, relative to the root; null for a module of our own. */
export function packageFolder(id: string): string | null {
  const path = id.replaceAll('\\', '/')
  const [, folder = null] =
    /.*?(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? []
  return folder
}

function readPackages(root: string, folders: readonly string[]): BundledPackage[] {
  const lock = readJson(join(root, 'package-lock.json')) as Lock
  return folders
    .map((folder) => readPackage(join(root, folder), lock.packages[folder]?.integrity))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

const mitLicence = /permission is hereby granted, free of charge, to any person obtaining a copy/i

function readPackage(folder: string, integrity: string | undefined): BundledPackage {
  const { name, version, license, homepage, author } = readJson(
    join(folder, 'package.json'),
  ) as Manifest
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice|ofl)([._-].*)?$/i.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim())
  const named = typeof license === 'object' ? license.type : license
  // A package without a licence field needs at least one licence text.
  const licence = named ?? (texts.some((text) => mitLicence.test(text)) ? 'MIT' : undefined)
  if (licence === undefined) throw new Error(`${name} names no licence.`)
  const base64 = /sha512-([^ ]+)/.exec(integrity ?? '')?.[1]
  return {
    name,
    version,
    licence,
    homepage: homepage ?? null,
    texts: texts.length === 0 && licence === 'MIT' ? [mitText(name, author)] : texts,
    sha512: base64 === undefined ? null : Buffer.from(base64, 'base64').toString('hex'),
  }
}

/** Returns the MIT licence for a package that names it without including its text. */
function mitText(name: string, author: Manifest['author']): string {
  const holder = (typeof author === 'object' ? author.name : author) ?? `the authors of ${name}`
  return `MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

(The package has no licence file. This is the text of the licence that its package.json names.)`
}

function listLicences(packages: readonly BundledPackage[]): Licences {
  const texts = [...new Set(packages.flatMap((each) => each.texts))]
  return {
    packages: packages.map(({ name, version, licence, homepage, texts: own }) => ({
      name,
      version,
      licence,
      homepage,
      texts: own.map((text) => texts.indexOf(text)),
    })),
    texts,
  }
}

/** Formats CycloneDX 1.6 without a time and a serial number, so that two builds of one commit are equal. */
function billOfMaterials(root: string, packages: readonly BundledPackage[]) {
  const { name, version, licence } = readPackage(root, undefined)
  const own = packageUrl(name, version)
  const components = packages.map((each) => {
    const scoped = /^(@[^/]+)\/(.+)$/.exec(each.name)
    const purl = packageUrl(each.name, each.version)
    return {
      type: 'library',
      'bom-ref': purl,
      ...(scoped !== null && { group: scoped[1] }),
      name: scoped?.[2] ?? each.name,
      version: each.version,
      scope: 'required',
      licenses: [
        /[ ()]/.test(each.licence)
          ? { expression: each.licence.replaceAll(/^\(|\)$/g, '') }
          : { license: { id: each.licence } },
      ],
      ...(each.sha512 !== null && { hashes: [{ alg: 'SHA-512', content: each.sha512 }] }),
      purl,
      ...(each.homepage !== null && {
        externalReferences: [{ type: 'website', url: each.homepage }],
      }),
    }
  })
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': own,
        name,
        version,
        licenses: [{ license: { id: licence } }],
        purl: own,
      },
    },
    components,
    dependencies: [{ ref: own, dependsOn: components.map(({ purl }) => purl) }],
  }
}

function packageUrl(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}
