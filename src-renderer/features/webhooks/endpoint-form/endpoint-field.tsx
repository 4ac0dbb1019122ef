import type { RefObject } from 'react'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icons.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import text from '../../../ui/text.module.css'
import { Endpoint } from '../endpoint.tsx'
import styles from './endpoint-form.module.css'
import type { EndpointEntry } from './use-endpoint.ts'

/** The URL that a webhook delivers to, with the addresses of this computer's receiver to choose from. */
export function EndpointField({
  label,
  entry,
  error,
  field,
}: {
  label: string
  entry: EndpointEntry
  error: string | undefined
  field: RefObject<HTMLInputElement | null>
}) {
  const { typed, type, suggestions, warnings } = entry
  return (
    <>
      <TextField
        label={label}
        mono
        type="url"
        inputMode="url"
        maxLength={2048}
        ref={field}
        value={typed}
        onChange={type}
        error={error}
        placeholder="https://example.com/hook"
      />
      {suggestions.length > 0 && (
        <ul className={styles['suggestions']} aria-label="Suggested endpoints">
          {suggestions.map(({ url, why }) => (
            <li key={url}>
              <button
                type="button"
                className={styles['suggestion']}
                aria-pressed={url === typed.trim()}
                onClick={() => type(url)}
              >
                <Endpoint url={url} className={text['mono']} />
                <span className={styles['why']}>{why}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <ul className={styles['warnings']} aria-label="Of this endpoint" aria-live="polite">
        {warnings.map(({ kind, message }) => (
          <li key={kind} className={styles['warning']}>
            <Icon name="warning" size={14} />
            {message}
            {kind === 'host-not-allowed' && <AllowHost entry={entry} field={field} />}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Adds the endpoint's host to the setting of the sandbox, which restarts with it. */
function AllowHost({
  entry: { typed, recheck },
  field,
}: {
  entry: EndpointEntry
  field: RefObject<HTMLInputElement | null>
}) {
  const host = URL.parse(typed.trim())?.hostname.replace(/^\[|\]$/g, '') ?? ''
  const allow = () =>
    attempt(`Could not allow ${host}`, async () => {
      const { sandbox } = await request('settings.get')
      await request('settings.change', {
        sandbox: { allowHosts: [...new Set([...sandbox.allowHosts, host])] },
      })
      recheck()
      // This button goes away with the warning.
      field.current?.focus()
    })
  return (
    <Button kind="link" onClick={() => void allow()}>
      Allow {host}
    </Button>
  )
}
