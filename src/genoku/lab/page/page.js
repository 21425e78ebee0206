// A chart takes the place of its drawing when a reader comes near, in the colours of the page.
if (window.Plotly) {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const template = () => templates[dark.matches ? "dark" : "light"];
  const settings = {
    responsive: true,
    displaylogo: false,
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
    toImageButtonOptions: { format: "svg" },
  };
  const draw = (chart) => {
    const figure = JSON.parse(chart.querySelector("script").textContent);
    if (chart.parentElement.clientWidth < (figure.layout.meta?.least ?? 0)) return;
    if (chart.parentElement.clientWidth < (figure.layout.meta?.texts ?? 0)) delete figure.layout.annotations;
    figure.layout.template = template();
    chart.classList.add("drawn"); // from here on it has a size
    Plotly.newPlot(chart, figure.data, figure.layout, settings).catch((error) => {
      chart.classList.remove("drawn"); // the drawing stays
      console.error(error);
    });
  };
  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (isIntersecting) {
          near.unobserve(target);
          draw(target.querySelector(".chart"));
        }
      }
    },
    { rootMargin: "800px" },
  );
  document.querySelectorAll(".panel:has(.chart)").forEach((panel) => near.observe(panel));
  dark.addEventListener("change", () => {
    document.querySelectorAll(".chart.drawn").forEach((chart) => Plotly.relayout(chart, { template: template() }));
  });
}
// Folded figures are wanted in print; long tables only if a reader has unfolded them.
const folded = [];
window.addEventListener("beforeprint", () => {
  document.querySelectorAll("details.pictured:not([open])").forEach((each) => {
    each.open = true;
    folded.push(each);
  });
});
window.addEventListener("afterprint", () => folded.splice(0).forEach((each) => (each.open = false)));
