import type { SnippetLanguage } from '../../../../src-preload/contract/exchange.ts'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { copyText } from '../../../ui/copy-button.tsx'
import type { MenuItem } from '../../../ui/menu.tsx'
import { showToast } from '../../../ui/toast.tsx'

const languages: readonly { readonly value: SnippetLanguage; readonly label: string }[] = [
  { value: 'fetch', label: 'JavaScript (fetch)' },
  { value: 'python', label: 'Python' },
]

/** Of a menu that copies a capture as code. @param reveal with its tokens, for this one copy */
export function snippetItems(id: number, reveal: boolean): MenuItem[] {
  return languages.map(({ value, label }) => ({
    label: reveal ? `As ${label}, with tokens` : `As ${label}`,
    icon: reveal ? 'key' : undefined,
    onSelect: () => void copySnippet(id, value, label, reveal),
  }))
}

async function copySnippet(
  id: number,
  language: SnippetLanguage,
  label: string,
  reveal: boolean,
): Promise<void> {
  await attempt('Could not make the program', async () => {
    const { text, masked } = await request('exchange.snippet', { id, language, reveal })
    if (!(await copyText(text, label))) return
    showToast({
      title: `Copied as ${label}`,
      ...(masked &&
        !reveal && { detail: 'Tokens in it are masked. The menu copies it with them.' }),
    })
  })
}
