import { type ReactNode, useState } from 'react'
import { changeSettings } from '../app/app-settings.ts'
import { useData } from '../app/bridge.ts'
import { Splitter } from '../ui/splitter.tsx'

/**
 * Shows a list beside the detail of a row. All pages share the width of the list, unless a page has
 * its own.
 */
export function ListSplitter({
  ownWidth,
  ...sides
}: {
  left: ReactNode
  /** Null to give the list the whole width. */
  right: ReactNode | null
  /** The link back if the detail covers the list, such as “All webhooks”. */
  back?: { readonly href: string; readonly label: string } | undefined
  /** The key in `localStorage` of this page's width, and its default width in percent. */
  ownWidth?: { readonly key: string; readonly percent: number }
}) {
  const { data: settings } = useData('settings.get')
  const [own, setOwn] = useState(() => readPercent(ownWidth?.key))
  const shared = settings?.appearance.listPercent ?? 62
  return (
    <Splitter
      label="List width"
      percent={ownWidth === undefined ? shared : (own ?? ownWidth.percent)}
      onCommit={(listPercent) => {
        if (ownWidth === undefined) {
          void changeSettings({ appearance: { listPercent } })
        } else {
          window.localStorage.setItem(ownWidth.key, String(listPercent))
          setOwn(listPercent)
        }
      }}
      {...sides}
    />
  )
}

function readPercent(key: string | undefined): number | null {
  const percent = key === undefined ? 0 : Number(window.localStorage.getItem(key))
  return percent >= 20 && percent <= 80 ? percent : null
}
