import type { ReactNode } from 'react'
import { useResource, valueOf } from '../app/resource.ts'
import { Splitter } from '../ui/splitter.tsx'
import { appSettings, changeSettings } from '../app/app-settings.ts'

/** A list beside its detail; how wide the list is, is one setting for all pages. */
export function ListSplitter({ left, right }: { left: ReactNode; right: ReactNode }) {
  const percent = valueOf(useResource(appSettings))?.appearance.listPercent ?? 62
  return (
    <Splitter
      label="List width"
      percent={percent}
      onCommit={(listPercent) => void changeSettings({ appearance: { listPercent } })}
      left={left}
      right={right}
    />
  )
}
