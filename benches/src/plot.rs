//! Curves over two logarithmic axes as an SVG document.

use std::fmt::Write as _;

/// A line of a panel.
pub struct Curve {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// A plot with a title and what its horizontal axis counts.
pub struct Panel {
    pub title: String,
    pub axis: String,
    pub curves: Vec<Curve>,
}

const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 96.0;
const TOP: f64 = 32.0;
const BOTTOM: f64 = 44.0;

fn colour(name: &str) -> &'static str {
    match name {
        "hence" => "#c0392b",
        "datafrog" => "#2e7d32",
        "ascent" => "#1565c0",
        "crepe" => "#ef6c00",
        _ => "#6a1b9a",
    }
}

/// Whole powers of ten around figures.
fn decades(figures: impl Iterator<Item = f64>) -> (i32, i32) {
    let (least, most) = figures.fold((f64::MAX, f64::MIN), |(least, most), at| (least.min(at), most.max(at)));
    let low = (least.log10() + 0.1).floor() as i32;
    (low, ((most.log10() - 0.05).ceil() as i32).max(low + 1))
}

/// Two panels a row.
pub fn draw(panels: &[Panel]) -> String {
    let (wide, high) = (WIDTH * 2.0, HEIGHT * panels.len().div_ceil(2) as f64);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {high}\" width=\"{wide}\" height=\"{high}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (at, panel) in panels.iter().enumerate() {
        let (x, y) = ((at % 2) as f64 * WIDTH, (at / 2) as f64 * HEIGHT);
        let _ = writeln!(svg, "<g transform=\"translate({x} {y})\">");
        one(&mut svg, panel);
        svg.push_str("</g>\n");
    }
    svg + "</svg>\n"
}

fn one(svg: &mut String, panel: &Panel) {
    let points = || panel.curves.iter().flat_map(|curve| &curve.points);
    let (across, up) = (decades(points().map(|point| point.0)), decades(points().map(|point| point.1)));
    let share =
        |value: f64, (low, high): (i32, i32)| (value.log10() - f64::from(low)) / f64::from(high - low);
    let x = |value: f64| LEFT + share(value, across) * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| HEIGHT - BOTTOM - share(value, up) * (HEIGHT - TOP - BOTTOM);
    let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"18\" font-weight=\"bold\">{}</text>", panel.title);
    for power in across.0..=across.1 {
        let at = x(10f64.powi(power));
        let (top, bottom, below) = (TOP, HEIGHT - BOTTOM, HEIGHT - BOTTOM + 15.0);
        let _ = writeln!(
            svg,
            "<path d=\"M{at:.1} {top}V{bottom}\" stroke=\"#ddd\"/><text x=\"{at:.1}\" y=\"{below}\" \
             text-anchor=\"middle\">10<tspan dy=\"-4\" font-size=\"8\">{power}</tspan></text>"
        );
    }
    for power in up.0..=up.1 {
        let (at, right, left) = (y(10f64.powi(power)), WIDTH - RIGHT, LEFT - 6.0);
        let label = 10f64.powi(power);
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"#ddd\"/><text x=\"{left}\" y=\"{:.1}\" \
             text-anchor=\"end\">{label}</text>",
            at + 4.0
        );
    }
    let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"{}\" fill=\"#555\">{}</text>", HEIGHT - 10.0, panel.axis);
    // Names beside the ends of the curves, apart from one another.
    let mut ends: Vec<(f64, &Curve)> =
        panel.curves.iter().filter_map(|curve| Some((y(curve.points.last()?.1), curve))).collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut free = TOP;
    for (end, curve) in ends {
        let at = end.max(free);
        free = at + 13.0;
        line(svg, curve, &x, &y, at);
    }
}

fn line(svg: &mut String, curve: &Curve, x: &impl Fn(f64) -> f64, y: &impl Fn(f64) -> f64, label: f64) {
    let colour = colour(&curve.name);
    let points: Vec<String> =
        curve.points.iter().map(|point| format!("{:.1},{:.1}", x(point.0), y(point.1))).collect();
    let wide = if curve.name == "hence" { 2.5 } else { 1.5 };
    let _ = writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{wide}\"/>\
         <text x=\"{}\" y=\"{:.1}\" fill=\"{colour}\">{}</text>",
        points.join(" "),
        WIDTH - RIGHT + 6.0,
        label + 4.0,
        curve.name
    );
}
