import { useState } from 'react'
import type { MissedCheck } from '../../../../src-preload/contract/ledger.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { valueOf } from '../../../app/resource.ts'
import { captureHref } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icons.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { useAnswer } from '../../../app/use-answer.ts'
import { rebuildMissing } from './check-commands.ts'
import { events } from './events.ts'
import { leftToRebuild } from './left-to-rebuild.ts'
import styles from './missed.module.css'

type Result = Output<'ledger.rebuild'>

/** Missing events are looked through for those rebuilt before as far as this; of more, all are offered. */
const most = 500

/** Puts what is missing into the inspector, for as long as there is something left to put. */
export function RebuildButton({
  check,
  onRebuilt,
}: {
  check: MissedCheck
  onRebuilt: (result: Result) => void
}) {
  const { missing } = check.counts
  const { state } = useAnswer('ledger.events', {
    id: check.id,
    filter: { verdict: 'missing' },
    offset: 0,
    limit: most,
  })
  const [busy, setBusy] = useState(false)
  /** How many there were when all were rebuilt. */
  const [done, setDone] = useState<number | null>(null)
  const page = check.state === 'running' ? null : valueOf(state)
  const left = done === missing ? 0 : ((page && leftToRebuild(page)) ?? missing)
  if (left === 0) return <Tag tone="ok">all {formatNumber(missing)} missing rebuilt</Tag>

  const rebuild = async () => {
    setBusy(true)
    const result = await rebuildMissing(check, left)
    setBusy(false)
    if (result === undefined) return
    setDone(missing)
    onRebuilt(result)
    events.refresh()
  }
  return (
    <Button kind="main" icon="inspector" busy={busy} onClick={() => void rebuild()}>
      Rebuild {formatNumber(left)} missing…
    </Button>
  )
}

/** Where what was rebuilt is now. */
export function Rebuilt({ result: { rebuilt, captures } }: { result: Result }) {
  const [first] = captures
  return (
    <p className={styles['rebuilt']} role="status">
      <Icon name="check" />
      {rebuilt === 0
        ? 'All of them had been rebuilt before.'
        : `${formatCount(rebuilt, 'event')} rebuilt into the inspector.`}
      {first !== undefined && <a href={captureHref(first)}>Open the first</a>}
    </p>
  )
}
