import type { Language } from '@quittance/pages/locale'

const en = {
  previous: 'Previous page',
  next: 'Next page',
  position: (page: string, last: string) => `Page ${page} of ${last}`,
}

/** Words of lists with several pages. */
export const pagingWords: Record<Language, typeof en> = {
  en,
  ar: { previous: 'الصفحة السابقة', next: 'الصفحة التالية', position: (page, last) => `الصفحة ${page} من ${last}` },
  de: { previous: 'Vorherige Seite', next: 'Nächste Seite', position: (page, last) => `Seite ${page} von ${last}` },
  es: { previous: 'Página anterior', next: 'Página siguiente', position: (page, last) => `Página ${page} de ${last}` },
  fr: { previous: 'Page précédente', next: 'Page suivante', position: (page, last) => `Page ${page} sur ${last}` },
  he: { previous: 'העמוד הקודם', next: 'העמוד הבא', position: (page, last) => `עמוד ${page} מתוך ${last}` },
  it: { previous: 'Pagina precedente', next: 'Pagina successiva', position: (page, last) => `Pagina ${page} di ${last}` },
  ja: { previous: '前のページ', next: '次のページ', position: (page, last) => `${last}ページ中${page}ページ目` },
  ko: { previous: '이전 페이지', next: '다음 페이지', position: (page, last) => `${last}페이지 중 ${page}페이지` },
  nl: { previous: 'Vorige pagina', next: 'Volgende pagina', position: (page, last) => `Pagina ${page} van ${last}` },
  pt: { previous: 'Página anterior', next: 'Página seguinte', position: (page, last) => `Página ${page} de ${last}` },
  zh: { previous: '上一页', next: '下一页', position: (page, last) => `第 ${page} 页，共 ${last} 页` },
  'zh-Hant': { previous: '上一頁', next: '下一頁', position: (page, last) => `第 ${page} 頁，共 ${last} 頁` },
}
