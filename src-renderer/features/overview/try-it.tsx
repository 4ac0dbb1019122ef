import { useState } from 'react'
import type { Shell } from '../../../src-preload/contract/capture.ts'
import { useResource, valueOf } from '../../app/resource.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Select } from '../../ui/select.tsx'
import { appInfo } from '../../app/app-info.ts'
import { sampleCommand, shells } from './sample-webhook.ts'
import styles from './try-it.module.css'

/** A line that posts a sample webhook, ready to paste. */
export function TryIt({
  url,
  title,
  compact = false,
}: {
  url: string
  title: string
  /** Shows its beginning only. */
  compact?: boolean
}) {
  const platform = valueOf(useResource(appInfo))?.platform
  const [chosen, setChosen] = useState<Shell | null>(null)
  const shell = chosen ?? (platform?.startsWith('win') === true ? 'powershell' : 'posix')
  const command = sampleCommand(url, shell)
  return (
    <div className={styles['box']}>
      <div className={styles['head']}>
        <h2>{title}</h2>
        <div className={styles['end']}>
          <Select label="Shell" value={shell} onChange={setChosen} options={shells} />
          <CopyButton text={command} what="Command" />
        </div>
      </div>
      <pre className={styles['command']} title={compact ? command : undefined}>
        <code className={compact ? styles['compact'] : undefined}>{command}</code>
      </pre>
    </div>
  )
}
