const assets = '/api/v1/docs/assets';

/** The Swagger UI page. `script` is the asset that starts it, because the content security policy allows no inline scripts. */
export function swaggerPage(title: string, script: string): string {
  return page(
    title,
    `<link rel="stylesheet" href="${assets}/swagger-ui.css">\n`,
    `<div id="swagger-ui"></div>
<script src="${assets}/swagger-ui-bundle.js"></script>
<script src="${assets}/${script}"></script>`,
  );
}

/** The Redoc page for the OpenAPI document at `specification`, a path of this server. */
export function redocPage(title: string, specification: string): string {
  return page(
    title,
    '',
    `<redoc spec-url="${specification}"></redoc>
<script src="${assets}/redoc.standalone.js"></script>`,
  );
}

function page(title: string, styles: string, body: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${assets}/favicon-32x32.png">
${styles}</head>
<body>
${body}
</body>
</html>
`;
}
