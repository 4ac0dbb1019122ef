import { useState } from 'react'
import type { TunnelState } from '../../../../src-preload/contract/tunnel.ts'
import { useResource, valueOf } from '../../../app/resource.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { publicReceiverUrl } from '../../../app/public-receiver-url.ts'
import { receiver } from '../../../app/receiver-state.ts'
import { useSave } from '../../settings/use-save.ts'
import { checkTunnel } from './tunnel.ts'
import styles from './tunnels.module.css'

const sourceWords: Readonly<Record<TunnelState['source'], string>> = {
  none: 'none yet',
  'by-hand': 'by hand',
  found: 'found, and followed',
}

/** The URL that gateways are given: typed here, or taken from what was found. */
export function PublicUrlPanel({ state }: { state: TunnelState }) {
  const { publicUrl, source, found, asked } = state
  const isLost =
    source === 'found' && asked.length > 0 && !found.some((each) => each.publicUrl === publicUrl)
  const url = valueOf(useResource(receiver))?.url ?? null
  const [typed, setTyped] = useState<string | null>(null)
  const save = useSave()
  const outside = publicReceiverUrl(publicUrl, url)
  const text = typed ?? publicUrl ?? ''
  const isChanged = text.trim() !== (publicUrl ?? '')

  const submit = async () => {
    const next = text.trim() === '' ? null : text.trim()
    const before = { receiver: { publicUrl } }
    if (!(await save.save('Public URL', { receiver: { publicUrl: next } }, before))) return
    setTyped(null)
    if (next !== null) void checkTunnel()
  }

  return (
    <section className={styles['panel']} aria-label="Public URL">
      <div className={styles['head']}>
        <h2>Public URL</h2>
        {isLost ? (
          <Tag tone="warn" title="It is followed as soon as an agent tells of a tunnel again.">
            no agent tells of it now
          </Tag>
        ) : (
          <Tag tone={source === 'none' ? 'plain' : 'ok'}>{sourceWords[source]}</Tag>
        )}
      </div>
      <form
        className={styles['urlForm']}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!save.busy) void submit()
        }}
      >
        <TextField
          label="Public URL"
          hideLabel
          type="url"
          mono
          placeholder="https://example.ngrok.app"
          value={text}
          error={save.errors['receiver.publicUrl'] ?? save.problem ?? undefined}
          onChange={setTyped}
        />
        <Button type="submit" kind={isChanged ? 'main' : 'plain'} busy={save.busy}>
          {text.trim() === '' && publicUrl !== null ? 'Clear' : 'Save and check'}
        </Button>
      </form>
      <p className={styles['hint']}>
        {outside === null ? (
          'Where a tunnel reaches this receiver. The path with its secret token goes below it.'
        ) : (
          <>
            What webhooks are given: <span className={styles['url']}>{outside}</span>{' '}
            <CopyButton text={outside} what="Public URL" iconOnly kind="quiet" />
          </>
        )}
      </p>
      {source === 'found' && (
        <p className={styles['hint']}>
          When the agent gets another URL, Tondesk takes that and offers to move the webhooks.
        </p>
      )}
    </section>
  )
}
