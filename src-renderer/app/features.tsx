/**
 * Features register entries of the palette, banners, topics of the settings, and dialogs that any
 * page can open.
 */
import { type ComponentType, lazy, Suspense } from 'react'
import { create } from 'zustand'
import type { CaptureExportOptions } from '../../src-preload/contract/capture-files.ts'
import type { ReplaySubject } from '../../src-preload/contract/replay.ts'
import type { IconName } from '../ui/icons.tsx'
import type { Settings } from '../../src-preload/contract/settings.ts'
import type { Webhook } from '../../src-preload/contract/webhook.ts'
import { type SettingsSectionId, settingsGroups } from './app-settings.ts'
import type { InputFile } from './input-file.ts'

export type PaletteEntry = {
  readonly id: string
  readonly label: string
  readonly icon: IconName
  /** Other words by which the entry is found. */
  readonly words?: string
  readonly keys?: string
  readonly run: () => void
}

/** @param words other words by which the entry is found */
export function paletteEntry(
  id: string,
  label: string,
  icon: IconName,
  words: string,
  run: () => unknown,
): PaletteEntry {
  return { id, label, icon, words, run: () => void run() }
}

/** A component whose code is loaded when it is first shown. */
export const lazyPart = <P,>(load: () => Promise<ComponentType<P>>) =>
  lazy(async () => ({ default: await load() }))

/** Captures that can be exported. */
export type OfferedCaptures = {
  readonly label: string
  readonly subject: CaptureExportOptions['subject']
}

/** The input of each of these dialogs. */
type DialogInputs = {
  /** The sets of captures to choose from, the most likely first. */
  exportCaptures: readonly OfferedCaptures[]
  /** The file to import after the user confirms; null to let the user choose one. */
  importCaptures: InputFile | null
  clearCaptures: null
  replay: {
    readonly subject: ReplaySubject
    readonly target?: string
    /** True to open the dialog with the editor. */
    readonly edited?: boolean
  }
  createWebhook: null
  moveWebhook: Pick<Webhook, 'network' | 'id' | 'endpoint'>
}

export type DialogProps<N extends keyof DialogInputs> = {
  input: DialogInputs[N]
  onClose: () => void
}

type Feature = {
  readonly paletteEntries?: readonly PaletteEntry[]
  /** A banner above every page, while it has something to show. */
  readonly Banner?: ComponentType
  readonly dialogs?: { readonly [N in keyof DialogInputs]?: ComponentType<DialogProps<N>> }
  readonly settings?: readonly SettingsTopic[]
  /** A section of the Jobs page. */
  readonly Jobs?: ComponentType
  readonly files?: FileOpener
}

/**
 * Opens files of certain kinds, wherever they were opened or dropped, and changes nothing until the
 * user confirms.
 */
type FileOpener = {
  /** File extensions in lower case with their dots. */
  readonly extensions: readonly string[]
  readonly open: (file: InputFile) => void
}

/** A section of the settings; `components/settings.tsx` has its building blocks. */
type SettingsTopic = {
  /** The id by which a link opens the section. */
  readonly id: string
  readonly title: string
  /** The topic before this one. */
  readonly after: SettingsSectionId
  /** Other words by which the palette finds the topic. */
  readonly words?: string
  readonly Section: ComponentType<{ settings: Settings }>
}

type ListedTopic = Pick<SettingsTopic, 'id' | 'title'> & Partial<SettingsTopic>

/**
 * Returns the topics of each group of the settings in order; `Section` is set for those that a
 * feature has registered.
 */
export function groupedSettings(): { readonly title: string; readonly topics: ListedTopic[] }[] {
  const registered = features.flatMap(({ settings = [] }) => settings)
  return Object.entries(settingsGroups).map(([title, sections]) => ({
    title,
    topics: Object.entries(sections).flatMap(([id, name]) => [
      { id, title: name },
      ...registered.filter(({ after }) => after === id),
    ]),
  }))
}

export const settingsTopics = () => groupedSettings().flatMap(({ topics }) => topics)

const features: Feature[] = []

/** Called once by each feature, before the first component. */
export function registerFeature(feature: Feature): void {
  features.push(feature)
}

export const registeredEntries = (): PaletteEntry[] =>
  features.flatMap(({ paletteEntries = [] }) => paletteEntries)

export const fileOpeners = (): FileOpener[] => features.flatMap(({ files }) => files ?? [])

export const RegisteredBanners = () =>
  features.map(({ Banner }, index) => Banner !== undefined && <Banner key={index} />)

export const RegisteredJobs = () =>
  features.map(
    ({ Jobs }, index) =>
      Jobs !== undefined && (
        <Suspense key={index}>
          <Jobs />
        </Suspense>
      ),
  )

type Opened = { readonly name: keyof DialogInputs; readonly input: never }

const useOpened = create<{ readonly opened: Opened | null }>(() => ({ opened: null }))

export function openDialog<N extends keyof DialogInputs>(name: N, input: DialogInputs[N]): void {
  useOpened.setState({ opened: { name, input: input as never } })
}

const close = () => useOpened.setState({ opened: null })

/** Renders the open dialog above the current page. */
export function RegisteredDialog() {
  const { opened } = useOpened()
  if (opened === null) return null
  const found = features.find(({ dialogs }) => dialogs?.[opened.name] !== undefined)
  const Shown = found?.dialogs?.[opened.name] as ComponentType<DialogProps<never>> | undefined
  if (Shown === undefined) return null
  return (
    // Keys that are pressed while the dialog is loaded are no shortcuts of the page.
    <Suspense fallback={<div data-modal />}>
      <Shown input={opened.input} onClose={close} />
    </Suspense>
  )
}
