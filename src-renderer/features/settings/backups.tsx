import { useState } from 'react'
import type { BackupFile } from '../../../src-preload/contract/app.ts'
import { attempt } from '../../app/attempt.ts'
import { request } from '../../app/bridge.ts'
import { formatBytes, formatDay, formatMinute, fromMs } from '../../ui/format.ts'
import { Moment, useNow } from '../../ui/moment.tsx'
import { createResource, useResource } from '../../app/resource.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { FailedState } from '../../ui/failed-state.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import table from '../../ui/table.module.css'
import text from '../../ui/text.module.css'
import { showToast } from '../../ui/toast.tsx'
import styles from './section.module.css'

const backups = createResource(() => request('backup.list'))

const reasons: Record<BackupFile['reason'], string> = {
  manual: 'by hand',
  migration: 'before an update',
  restore: 'before a restore',
}

export function Backups() {
  const state = useResource(backups)
  const [busy, setBusy] = useState(false)

  const create = async () => {
    setBusy(true)
    const made = await attempt('Could not create a backup', () => request('backup.create'))
    setBusy(false)
    if (made === undefined) return
    await backups.reload()
    showToast({ title: 'Backup created', detail: made.name })
  }

  return (
    <>
      <div className={styles['line']}>
        <Button icon="download" busy={busy} onClick={() => void create()}>
          {busy ? 'Creating…' : 'Create a backup'}
        </Button>
      </div>
      {(state.status === 'idle' || state.status === 'loading') && <Skeleton rows={2} />}
      {state.status === 'failed' && (
        <FailedState
          what="The backups could not be listed"
          why={state.error.message}
          onRetry={() => void backups.reload()}
        />
      )}
      {state.status === 'ready' && state.value.length === 0 && (
        <p className={styles['detail']}>There is no backup yet.</p>
      )}
      {state.status === 'ready' && state.value.length > 0 && <List files={state.value} />}
    </>
  )
}

function List({ files }: { files: readonly BackupFile[] }) {
  const now = useNow()
  return (
    <table className={table['table']}>
      <thead>
        <tr>
          <th scope="col">Made</th>
          <th scope="col">Why</th>
          <th scope="col" className={table['number']}>
            Size
          </th>
          <th scope="col">
            <span className={text['hidden']}>Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {files.map((file) => {
          const made = fromMs(file.createdAt)
          const when = `${formatDay(made, now)} ${formatMinute(made)}`
          return (
            <tr key={file.name}>
              <td title={file.path}>
                <Moment at={made} />
              </td>
              <td className={text['dim']}>{reasons[file.reason]}</td>
              <td className={table['number']}>{formatBytes(file.bytes)}</td>
              <td className={table['number']}>
                <CopyButton
                  text={file.path}
                  what={`Path of the backup of ${when}`}
                  label="Copy path"
                  kind="quiet"
                />
                <Button
                  kind="quiet"
                  aria-label={`Restore the backup of ${when}…`}
                  onClick={() => void restore(file, when)}
                >
                  Restore…
                </Button>
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

async function restore(file: BackupFile, when: string): Promise<void> {
  const yes = await confirm({
    title: `Restore the backup of ${when}?`,
    detail:
      'All captures and settings are replaced by those of the backup; what came after it is gone from the list. A backup of the present state is made first. Tondesk starts again to do it. Keys and tokens are not touched.',
    action: 'Restore and restart',
    destructive: true,
  })
  if (!yes) return
  const result = await attempt('Could not restore the backup', () =>
    request('backup.restore', { name: file.name }),
  )
  if (result === undefined) return
  if (!result.restartNeeded) {
    showToast({ title: 'The backup is restored' })
    return
  }
  await attempt(
    'The backup is ready, but Tondesk could not restart. Start it again yourself.',
    () => request('app.restart'),
  )
}
