/** The endpoint of a webhook: a field, suggestions, and warnings about the entered URL. */
import type { RefObject } from 'react'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { EndpointSuggestion } from '../../src-preload/contract/webhook.ts'
import { attempt, request, useData, useDataOf } from '../app/bridge.ts'
import { Button } from '../ui/button.tsx'
import { type FormState, RadioList, TextField } from '../ui/form.tsx'
import { Icon } from '../ui/icons.tsx'
import { Note, Row, Stack, Text } from '../ui/layout.tsx'
import { useSettled } from '../ui/use-settled.ts'

const noSuggestions: readonly EndpointSuggestion[] = []

/** Returns URLs of this receiver, the best one first. */
export function useSuggestions(network: NetworkId): readonly EndpointSuggestion[] {
  return useData('webhook.suggestEndpoints', { network }).data ?? noSuggestions
}

export function EndpointFields({
  label,
  network,
  suggestions,
  field,
  form,
}: {
  label: string
  network: NetworkId
  suggestions: readonly EndpointSuggestion[]
  field: RefObject<HTMLInputElement | null>
  form: Pick<FormState<{ endpoint: string }>, 'values' | 'change' | 'field'>
}) {
  const endpoint = form.values.endpoint.trim()
  const settled = useSettled(endpoint)
  const { data, isPlaceholderData, error } = useDataOf(
    'webhook.checkEndpoint',
    settled === '' ? null : { network, endpoint: settled },
  )
  // A text that is not a URL is refused on submit.
  const isCurrent = settled === endpoint && !isPlaceholderData && error === null
  // The button disappears with its warning, so the field gets the focus.
  const focusField = () => field.current?.focus()
  return (
    <>
      <TextField
        label={label}
        mono
        type="url"
        inputMode="url"
        maxLength={2048}
        ref={field}
        placeholder="https://example.com/hook"
        {...form.field('endpoint')}
      />
      {suggestions.length > 0 && (
        <RadioList
          label="Suggested endpoints"
          value={endpoint}
          options={suggestions.map(({ url, why }) => ({ value: url, label: why, why: url }))}
          onChange={(url) => form.change({ endpoint: url })}
        />
      )}
      <Stack as="ul" gap="s" aria-label="Endpoint warnings" aria-live="polite">
        {(isCurrent ? (data ?? []) : []).map(({ kind, message }) => (
          <li key={kind}>
            <Note tone="warn">
              <Row align="start">
                <Icon name="warning" size={14} />
                <Text over="break">
                  {message}{' '}
                  {kind === 'host-not-allowed' && (
                    <AllowHost endpoint={endpoint} onAllowed={focusField} />
                  )}
                </Text>
              </Row>
            </Note>
          </li>
        ))}
      </Stack>
    </>
  )
}

/** Allows the sandbox to deliver to the host. The sandbox restarts for this. */
function AllowHost({ endpoint, onAllowed }: { endpoint: string; onAllowed: () => void }) {
  const host = URL.parse(endpoint)?.hostname.replace(/^\[|\]$/g, '') ?? ''
  const allow = () =>
    attempt(`Could not allow ${host}`, async () => {
      const { sandbox } = await request('settings.get')
      await request('settings.change', {
        sandbox: { allowHosts: [...new Set([...sandbox.allowHosts, host])] },
      })
      onAllowed()
    })
  return (
    <Button kind="link" onClick={() => void allow()}>
      Allow {host}
    </Button>
  )
}
